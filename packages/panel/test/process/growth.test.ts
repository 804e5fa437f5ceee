import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { beforeAll, describe, expect, it } from 'vitest';

/**
 * Plays a hostile site and hostile holders of license keys for 30 days. On the first day, they send requests until the panel
 * refuses them. On the other days, the test counts most of their requests as sent, because they only replace what the first
 * ones left. The audit log grows by the same number of records each day, so the first day gives its size.
 */
const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A report of 2,000 items takes half a second. Further ones replace what the first two left. */
const isLarge = (day: number) => day % 10 === 0;

const SECURITY_PAGE = readFileSync(
  join(import.meta.dirname, '../../../../docs/security.md'),
  'utf8',
);
const stated = (pattern: RegExp): number => {
  const [, number] = pattern.exec(SECURITY_PAGE) ?? [];
  if (number === undefined) throw new Error(`docs/security.md does not state ${pattern}.`);
  return Number(number.replaceAll(',', ''));
};

describe('30 days of hostile sites and license keys', () => {
  const panel = useTestPanel();
  const size = async (tables: 'audit' | 'other') => {
    const { rows } = await panel.pool.query(`
      SELECT coalesce(sum(pg_total_relation_size(oid)) FILTER (WHERE relname LIKE 'audit%'), 0)::float8 AS audit,
        sum(pg_total_relation_size(oid))::float8 AS all
      FROM pg_class WHERE relnamespace IN (current_schema()::regnamespace, 'pgboss'::regnamespace) AND relkind = 'r'`);
    const { audit, all } = rows[0];
    return { audit, other: all - audit }[tables] / 1024 / 1024;
  };
  const count = async (query: string, values: unknown[] = []): Promise<number> =>
    Number((await panel.pool.query(query, values)).rows[0].count);

  let reports = 0;
  /** Software that no earlier report had, each with the longest texts that fit into a report. */
  function newInventory(items: number) {
    reports++;
    const text = (n: number, length: number) => `${reports}-${n}-`.padEnd(length, 'aZ9_x');
    return {
      plugins: Array.from({ length: items }, (_, n) => ({
        plugin: `${text(n, 240)}/${n}.php`,
        name: text(n, 60),
        version: text(n, 60),
        new_version: `9.${text(n, 50)}`,
        active: n % 2 === 0,
      })),
      themes: [],
      core: { version: '6.6' },
    };
  }

  async function connect(siteLimit: number | null, capabilities?: string[]) {
    const { license_key } = await panel.license({ siteLimit });
    const site = { license_key, site_url: newSiteUrl(), ...VERSIONS };
    const call = (path: string, body: object = {}) =>
      panel.post(`/api/v1/${path}`, { ...site, ...body });
    const { body } = await call('license/activate', capabilities ? { capabilities } : {});
    return {
      ...site,
      call,
      id: body.activation.site_id as number,
      siteKey: body.site_key as string,
    };
  }
  type Site = Awaited<ReturnType<typeof connect>>;

  /** Returns how often the request worked until the panel refused it for the day. */
  async function repeat(request: (turn: number) => Promise<{ status: number }>) {
    for (let done = 0; done < 300; done++) {
      const { status } = await request(done);
      if (status === 429) return done;
      expect([200, 403]).toContain(status);
      if (status === 403) return done;
    }
    throw new Error('The panel refused no request.');
  }

  /** Counts requests as sent, except on the first day. */
  const countMost = (site: Site, day: number) =>
    day > 0 &&
    panel.pool.query(
      `UPDATE site_daily_use SET changed_reports = greatest(changed_reports, 198),
         audited_changes = greatest(audited_changes, 49) WHERE site_id = $1`,
      [site.id],
    );

  async function attackWithSiteKey(site: Site, day: number) {
    const as = { license_key: site.siteKey };
    const report = (items: number) =>
      site.call('site/verify', { ...as, inventory: newInventory(items) });
    const sizesOfReports = isLarge(day) ? [2000, 2000] : [100];
    const reportAll = async () => {
      for (const items of sizesOfReports) expect((await report(items)).status).toBe(200);
    };
    // A large inventory makes each request slow, so the many requests of the first day precede it.
    if (day > 0) await reportAll();
    await countMost(site, day);
    const toggles = await repeat((turn) =>
      site.call('site/verify', { ...as, accepts_unsigned_calls: turn % 2 === 0 }),
    );
    if (day === 0) await reportAll();
    const endpoints = ['/wp-json/', '/index.php/wp-json/', '/cms-json/'];
    const small = await repeat((turn) =>
      turn % 4 === 0
        ? report(1)
        : site.call('site/verify', {
            ...as,
            endpoint_url: `${site.site_url}${endpoints[turn % endpoints.length]}`,
            time_zone: turn % 2 ? 'Europe/Berlin' : 'UTC',
          }),
    );
    return { toggles, reports: sizesOfReports.length + toggles + small };
  }

  /** Plain sites, and everything that the license key opens on a site with a site key. */
  async function attackWithLicenseKey(plain: Site, withSiteKey: Site, day: number) {
    const enrol = () =>
      withSiteKey.call('license/activate', { capabilities: ['site_key', 'signed_calls'] });
    expect((await enrol()).status).toBe(200);
    await countMost(withSiteKey, day);
    await repeat(enrol);
    expect((await plain.call('site/verify', { inventory: newInventory(200) })).status).toBe(200);
    await countMost(plain, day);
    await repeat(() => plain.call('site/verify', { inventory: newInventory(1) }));
    const host = plain.site_url.slice('https://'.length);
    await repeat((turn) => {
      if (turn % 3 === 0) return plain.call('license/activate', { site_url: `www.${host}` });
      if (turn % 3 === 1) return plain.call('license/activate', { site_url: `https://${host}` });
      return plain.call('license/deactivate').then(() => plain.call('license/activate'));
    });
    expect((await plain.call('license/deactivate')).status).toBe(200);
    expect((await plain.call('license/activate')).status).toBe(429);
  }

  /** Moves one seat to new addresses until the panel refuses it. Each of them reports. */
  async function attackBySeatMoves(site: Site, day: number) {
    for (const prefix of day === 0 ? ['https://', 'https://staging.'] : ['https://']) {
      await repeat(async () => {
        const site_url = newSiteUrl().replace('https://', prefix);
        const activated = await site.call('license/activate', { site_url });
        if (activated.status !== 200) return activated;
        await site.call('site/verify', { site_url, inventory: newInventory(20) });
        return site.call('license/deactivate', { site_url });
      });
    }
  }

  const sizes: { other: number; audit: number }[] = [];
  const firstDay = { reports: 0, toggles: 0 };
  let before = { other: 0, audit: 0 };
  let site: Site;
  let plain: Site;
  let mover: Site;

  /** As many versions as 25 large reports leave, each as long as theirs. */
  async function fillVersions() {
    await panel.pool.query(`
      INSERT INTO software_versions (type, slug, version, first_seen_at)
      SELECT 'plugin', rpad('old-' || n, 255, 'aZ9_x'), rpad(n || '-', 60, 'aZ9_x'), now()
      FROM generate_series(1, 100000) AS n`);
    // Otherwise, the plans of the reports depend on the time at which PostgreSQL does this by itself.
    await panel.executeAsTableOwner('ANALYZE software_versions');
  }

  /** Plays the days up to this one. */
  async function playUntil(lastDay: number) {
    for (let day = sizes.length; day < lastDay; day++) {
      const done = await attackWithSiteKey(site, day);
      if (day === 0) Object.assign(firstDay, done);
      await attackWithLicenseKey(plain, site, day);
      await attackBySeatMoves(mover, day);
      panel.fakes.now = new Date(panel.fakes.now.getTime() + DAY_MS);
      await panel.services.housekeeping.run();
      await panel.services.auditChain.seal();
      await plain.call('license/activate');
      // PostgreSQL does this by itself, several times a day.
      await panel.executeAsTableOwner('VACUUM');
      sizes.push({ other: await size('other'), audit: await size('audit') });
    }
  }

  beforeAll(async () => {
    site = await connect(1, ['site_key', 'signed_calls']);
    plain = await connect(1);
    mover = await connect(1);
    await mover.call('license/deactivate');
    before = { other: await size('other'), audit: await size('audit') };
    await fillVersions();
  });

  it('reach the limits of a day', async () => {
    await playUntil(1);
    expect(firstDay).toEqual({ reports: 200, toggles: 50 });
  });

  it.each([10, 20, DAYS])('reach them again until day %i', async (day) => {
    await playUntil(day);
    expect(sizes).toHaveLength(day);
  });

  it('make the panel grow by at most what docs/security.md states', () => {
    const limit = stated(/the panel grows by at most ([\d,]+) MB/);
    const [first, last] = [sizes[0], sizes[DAYS - 1]];
    const auditOfDays = DAYS * ((first?.audit ?? 0) - before.audit);
    const growth = (last?.other ?? 0) - before.other + auditOfDays;
    expect(growth).toBeLessThan(limit);
    // The limit is not so generous that it hides a new hole.
    expect(growth).toBeGreaterThan(limit / 4);
  });

  it('leave nothing but audit records and rows of sites that grows day by day', () => {
    const [tenth, last] = [sizes[9], sizes[DAYS - 1]];
    expect((last?.other ?? 0) - (tenth?.other ?? 0)).toBeLessThan(
      stated(/in each further 20 days by at most ([\d,]+) MB without the audit log/),
    );
  });

  it('keep the limits of each table', async () => {
    const history = `SELECT max(entries) AS count FROM (
      SELECT count(*) AS entries FROM version_history GROUP BY site_id) AS sites`;
    expect(await count(history)).toBe(5000);
    const installed = await count('SELECT count(*) FROM software_counts WHERE scope = 0');
    const versions = await count('SELECT count(*) FROM software_versions');
    expect(versions).toBeLessThan(101_000 + 2 * installed);
    expect(versions).toBeGreaterThan(90_000);
    expect(await count('SELECT count(*) FROM site_daily_use')).toBeLessThan(10);
    expect(await count('SELECT count(*) FROM repeated_events')).toBeLessThan(10);
    expect(
      await count(
        `SELECT count(*) FROM sites s JOIN license_activations a ON a.site_id = s.id
         WHERE a.status = 'deactivated' AND s.inventory IS NOT NULL AND a.license_id =
           (SELECT license_id FROM sites WHERE id = $1)`,
        [mover.id],
      ),
    ).toBeLessThanOrEqual(10);
  });

  it('leave at most the stated number of audit records per site and day', async () => {
    const limit = stated(/at most ([\d,]+) audit records per site and day/);
    const most = await count(`SELECT max(records) AS count FROM (
      SELECT count(*) AS records FROM audit_log WHERE site_id IS NOT NULL
      GROUP BY site_id, (at AT TIME ZONE 'UTC')::date) AS days`);
    expect(most).toBeGreaterThan(50);
    expect(most).toBeLessThanOrEqual(limit);
  });
});
