import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { beforeEach, describe, expect, it } from 'vitest';

const DAY_SECONDS = 24 * 60 * 60;
const OWN_KEY = { capabilities: ['site_key', 'signed_calls'] };

describe('limits per site, credential and day', () => {
  const panel = useTestPanel({ newSitesPerDay: 3 });
  let license_key: string;
  let site_url: string;
  let count = 0;

  const call = (path: string, body: object) =>
    panel.post(`/api/v1/${path}`, { license_key, site_url, ...VERSIONS, ...body });
  const activate = (body: object = {}) => call('license/activate', body);
  const deactivate = (body: object = {}) => call('license/deactivate', body);
  const inventory = (version: string) => ({
    plugins: [{ plugin: 'shop/shop.php', name: 'Shop', version, active: true }],
    themes: [],
    core: { version: '6.6' },
  });
  /** Sends a report with a version that no earlier report had. */
  const report = (body: object = {}) =>
    call('site/verify', { inventory: inventory(`1.${++count}`), ...body });

  type Answer = Awaited<ReturnType<typeof call>>;
  /** Repeats the request until the panel refuses it. Returns how often it worked, and the refusal. */
  async function repeatUntilRefused(request: (turn: number) => Promise<Answer>) {
    for (let done = 0; done < 1000; done++) {
      const response = await request(done);
      if (response.status !== 200) return { done, refusal: response };
    }
    throw new Error('No request was refused.');
  }

  /** Counts earlier changes of the site: 200 reports take seconds. `growth.test.ts` sends them all. */
  const setUse = (use: { changed_reports?: number; audited_changes?: number }) =>
    panel.pool.query(
      `UPDATE site_daily_use u SET changed_reports = coalesce($1, changed_reports),
         audited_changes = coalesce($2, audited_changes)
       FROM sites s WHERE s.id = u.site_id AND s.url LIKE '%' || $3`,
      [use.changed_reports ?? null, use.audited_changes ?? null, site_url.slice('https://'.length)],
    );
  async function useUpReports({ left = 0 } = {}) {
    expect((await report()).status).toBe(200);
    await setUse({ changed_reports: 200 - left });
  }
  /** Makes one audited change with the request, and counts 47 more. */
  async function useUpChanges(request: (turn: number) => Promise<Answer>) {
    expect((await request(0)).status).toBe(200);
    await setUse({ audited_changes: 48 });
    const { done, refusal } = await repeatUntilRefused((turn) => request(turn + 1));
    expect([done, refusal.status, refusal.body.code]).toEqual([2, 429, 'rate_limited']);
  }

  const rows = async (query: string, values: unknown[] = []) =>
    (await panel.pool.query(query, values)).rows;
  /** Everything that the requests of a site can change, without the time of its check-ins. */
  const readState = async () => ({
    sites: await rows('SELECT url, inventory, endpoint_url, time_zone FROM sites WHERE url = $1', [
      site_url,
    ]),
    activations: await rows(
      `SELECT a.status, a.environment, a.cms_version, a.accepts_unsigned_calls, a.token_hash FROM license_activations a
       JOIN sites s ON s.id = a.site_id WHERE s.url = $1`,
      [site_url],
    ),
    enrolments: await rows('SELECT count(*) FROM enrolments'),
    history: await rows('SELECT count(*) FROM version_history'),
    audit: await rows('SELECT count(*) FROM audit_log'),
    use: await rows('SELECT * FROM site_daily_use ORDER BY site_id, credential, day'),
  });
  const nextDay = () => {
    panel.fakes.now = new Date(panel.fakes.now.getTime() + DAY_SECONDS * 1000);
  };
  const repeatedRecords = async (siteId: number) => {
    await panel.services.housekeeping.run();
    return rows(
      `SELECT action, entity_type, context FROM audit_log WHERE site_id = $1 AND context ? 'repeated' ORDER BY id`,
      [siteId],
    );
  };

  beforeEach(async () => {
    ({ license_key } = await panel.license({ siteLimit: 3 }));
    site_url = newSiteUrl();
  });

  it('stores no made-up capabilities, which a request can only add', async () => {
    const names = (turn: number) => Array.from({ length: 31 }, (_, n) => `made-up-${turn}-${n}`);
    const stored = async () =>
      (
        await rows(
          `SELECT a.capabilities FROM license_activations a JOIN sites s ON s.id = a.site_id WHERE s.url = $1`,
          [site_url],
        )
      )[0].capabilities;
    await activate({ capabilities: names(0) });
    await activate({ capabilities: [...names(1), 'install'] });
    await call('site/verify', { capabilities: [...names(2), 'restore'] });
    expect(await stored()).toEqual(['install', 'restore']);
  });

  describe('429', () => {
    it('refuses the 201st changed report, with the time until the next day, and changes nothing', async () => {
      await activate();
      await useUpReports({ left: 3 });
      const { done, refusal } = await repeatUntilRefused(() => report());
      expect([done, refusal.status]).toEqual([3, 429]);
      expect(refusal.body).toMatchObject({ success: false, code: 'rate_limited' });
      expect(refusal.body.error).toMatch(/200 changed reports.*Nothing was changed/);
      // The clock of the test stands at noon.
      expect(refusal.headers['retry-after']).toBe(String(DAY_SECONDS / 2));
      const before = await readState();
      expect((await report()).status).toBe(429);
      expect((await report({ endpoint_url: `${site_url}/index.php/wp-json/` })).status).toBe(429);
      expect(await readState()).toEqual(before);
    });

    it('still accepts check-ins, and reports without a change', async () => {
      await activate();
      await useUpReports();
      const unchanged = inventory(`1.${count}`);
      expect((await report()).status).toBe(429);
      expect((await call('site/verify', { inventory: unchanged })).status).toBe(200);
      expect((await call('license/check', {})).status).toBe(200);
    });

    it('refuses the 51st audited change', async () => {
      const { body } = await activate(OWN_KEY);
      const as = { license_key: body.site_key };
      const toggle = (turn: number) =>
        call('site/verify', { ...as, accepts_unsigned_calls: turn % 2 === 0 });
      await useUpChanges(toggle);
      const before = await readState();
      expect((await toggle(3)).status).toBe(429);
      expect(await readState()).toEqual(before);
    });

    it.each([
      ['activations of a site with a site key', OWN_KEY, () => activate(OWN_KEY)],
      [
        'changes of the address',
        {},
        (turn: number) =>
          activate({ site_url: site_url.replace('//', turn % 2 === 0 ? '//www.' : '//') }),
      ],
    ])('refuses repeated %s', async (_name, first, request) => {
      await activate(first);
      await useUpChanges(request);
      const before = await readState();
      expect((await request(3)).status).toBe(429);
      expect(await readState()).toEqual(before);
    });

    it('does not let a site escape by disconnecting and connecting again', async () => {
      await activate();
      await deactivate();
      await setUse({ audited_changes: 46 });
      // Each turn has two audited changes.
      expect((await activate()).status).toBe(200);
      const { done, refusal } = await repeatUntilRefused(async () => {
        expect((await deactivate()).status).toBe(200);
        return activate();
      });
      expect([done, refusal.status]).toEqual([1, 429]);
      nextDay();
      expect((await activate()).status).toBe(200);
    });
  });

  it('are counted apart for the license key and the site key of a site', async () => {
    const { body } = await activate(OWN_KEY);
    await useUpChanges(() => activate(OWN_KEY));
    const as = { license_key: body.site_key };
    expect((await report(as)).status).toBe(200);
    expect((await call('site/verify', { ...as, accepts_unsigned_calls: true })).status).toBe(200);
  });

  it('are counted apart for each site', async () => {
    await activate();
    await useUpReports();
    expect((await report()).status).toBe(429);
    site_url = newSiteUrl();
    await activate();
    expect((await report()).status).toBe(200);
  });

  it('never keep an active site from disconnecting', async () => {
    const { body } = await activate(OWN_KEY);
    const as = { license_key: body.site_key };
    await useUpChanges((turn) =>
      call('site/verify', { ...as, accepts_unsigned_calls: turn % 2 === 0 }),
    );
    expect((await deactivate(as)).body).toMatchObject({ activation: { status: 'deactivated' } });
  });

  it('end with the day in UTC, and one audit record counts the refused requests', async () => {
    const { body } = await activate();
    await useUpReports();
    const today = panel.fakes.now.toISOString().slice(0, 10);
    for (let more = 0; more < 5; more++) await report();
    const { site_id } = body.activation;
    expect(await repeatedRecords(site_id)).toEqual([]);
    nextDay();
    expect((await report()).status).toBe(200);
    const records = await repeatedRecords(site_id);
    expect(records).toMatchObject([
      {
        action: 'refuse_changes',
        entity_type: 'activation',
        context: { credential: 'license_key', limit: 'changed_reports', repeated: 5, day: today },
      },
    ]);
    expect(await repeatedRecords(site_id)).toEqual(records);
    expect(await rows('SELECT FROM repeated_events WHERE day < $1', [panel.fakes.now])).toEqual([]);
  });

  describe('new sites of an unlimited license', () => {
    const connectNewSite = () => activate({ site_url: newSiteUrl() });

    it('are limited per day', async () => {
      const { id, license_key: unlimited } = await panel.license({ siteLimit: null });
      license_key = unlimited;
      await activate();
      const { done, refusal } = await repeatUntilRefused(connectNewSite);
      expect([done, refusal.status, refusal.body.code]).toEqual([2, 429, 'rate_limited']);
      expect(refusal.headers['retry-after']).toBe(String(DAY_SECONDS / 2));
      expect(refusal.body.error).toContain('3 new sites');
      // Sites that the license already has are not new.
      await deactivate();
      expect((await activate()).status).toBe(200);
      nextDay();
      expect((await repeatUntilRefused(connectNewSite)).done).toBe(3);
      nextDay();
      await panel.services.housekeeping.run();
      const [record] = await rows(
        `SELECT action, entity_id, context FROM audit_log WHERE entity_type = 'license' AND context ? 'repeated'`,
      );
      expect(record).toMatchObject({
        action: 'refuse_new_sites',
        entity_id: String(id),
        context: { repeated: 1 },
      });
    });

    it('are limited by the seats of a license with a site limit', async () => {
      ({ license_key } = await panel.license({ siteLimit: 5 }));
      const { done, refusal } = await repeatUntilRefused(connectNewSite);
      expect([done, refusal.body.code]).toEqual([5, 'site_limit_reached']);
    });
  });
});
