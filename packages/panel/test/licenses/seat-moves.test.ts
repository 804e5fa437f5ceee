import { newSiteUrl, OPERATOR, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

const HOUR_MS = 60 * 60 * 1000;

describe('moves of a seat between sites', () => {
  const panel = useTestPanel();

  const activate = (license_key: string, site_url: string) =>
    panel.post('/api/v1/license/activate', { license_key, site_url, ...VERSIONS });
  const deactivate = (license_key: string, site_url: string) =>
    panel.post('/api/v1/license/deactivate', { license_key, site_url });
  const advance = (hours: number) => {
    panel.fakes.now = new Date(panel.fakes.now.getTime() + hours * HOUR_MS);
  };

  /** Activates and deactivates one site after another until an activation is refused. */
  async function moveUntilRefused(license_key: string, newUrl = newSiteUrl) {
    for (let sites = 0; sites < 300; sites++) {
      const site_url = newUrl();
      const response = await activate(license_key, site_url);
      if (response.status !== 200) return { sites, refusal: response };
      await deactivate(license_key, site_url);
    }
    throw new Error('No activation was refused.');
  }

  async function countMoves(licenseId: number): Promise<number> {
    const moves = panel.db.selectFrom('seat_moves').where('license_id', '=', licenseId);
    return (await moves.select('id').execute()).length;
  }

  it('are refused after six sites within a day', async () => {
    const { license_key } = await panel.license({ siteLimit: 1 });
    const { sites, refusal } = await moveUntilRefused(license_key);
    expect(sites).toBe(6);
    expect(refusal.status).toBe(403);
    expect(refusal.body).toMatchObject({
      code: 'seat_moves_exhausted',
      retry_at: new Date(panel.fakes.now.getTime() + 24 * HOUR_MS).toISOString(),
    });
    expect(refusal.body.error).toContain(refusal.body.retry_at);
  });

  it('are allowed again at `retry_at`', async () => {
    const { license_key } = await panel.license({ siteLimit: 1 });
    for (let move = 0; move < 6; move++) {
      const site_url = newSiteUrl();
      await activate(license_key, site_url);
      advance(1);
      await deactivate(license_key, site_url);
    }
    const site_url = newSiteUrl();
    const { body } = await activate(license_key, site_url);
    panel.fakes.now = new Date(Date.parse(body.retry_at) - 1);
    expect((await activate(license_key, site_url)).status).toBe(403);
    panel.fakes.now = new Date(Date.parse(body.retry_at));
    expect((await activate(license_key, site_url)).status).toBe(200);
  });

  it('are limited per seat', async () => {
    const { license_key } = await panel.license({ siteLimit: 3 });
    await activate(license_key, newSiteUrl());
    expect((await moveUntilRefused(license_key)).sites).toBe(17);
  });

  it('are counted among sites that had the seat before', async () => {
    const { license_key } = await panel.license({ siteLimit: 1 });
    const sites = Array.from({ length: 6 }, newSiteUrl);
    const activated: string[] = [];
    for (let turn = 0; turn < 31; turn++) {
      const site_url = sites[turn % sites.length] as string;
      if ((await activate(license_key, site_url)).status === 200) activated.push(site_url);
      await deactivate(license_key, site_url);
    }
    // The sixth site returns without a move, because no other site was activated since.
    expect([...new Set(activated.slice(6))]).toEqual(sites.slice(5));
    expect(activated.slice(0, 6)).toEqual(sites);
  });

  it('do not include the site that left last, if no site was activated since', async () => {
    const { license_key } = await panel.license({ siteLimit: 1 });
    const [earlier, last] = [newSiteUrl(), newSiteUrl()];
    await activate(license_key, earlier);
    await deactivate(license_key, earlier);
    for (let time = 0; time < 12; time++) {
      expect((await activate(license_key, last)).status).toBe(200);
      await deactivate(license_key, last);
    }
    await moveUntilRefused(license_key);
    expect((await activate(license_key, earlier)).body.code).toBe('seat_moves_exhausted');
    expect((await activate(license_key, last)).body.code).toBe('seat_moves_exhausted');
  });

  it('include a return after another site was activated, also on another seat', async () => {
    const { license_key } = await panel.license({ siteLimit: 2 });
    const [returning, other] = [newSiteUrl(), newSiteUrl()];
    await activate(license_key, returning);
    await activate(license_key, other);
    let returns = 0;
    for (; returns < 20; returns++) {
      await deactivate(license_key, returning);
      // The site that left last comes back: no move, but an activation.
      await deactivate(license_key, other);
      expect((await activate(license_key, other)).status).toBe(200);
      if ((await activate(license_key, returning)).status !== 200) break;
    }
    expect(returns).toBe(10);
  });

  it('start only when all seats were used once, also after a higher limit', async () => {
    const { id, license_key } = await panel.license({ siteLimit: 10 });
    for (let sites = 0; sites < 10; sites++) await activate(license_key, newSiteUrl());
    expect(await countMoves(id)).toBe(0);
    await panel.services.licenses.setLimit(id, 12, OPERATOR);
    const first = newSiteUrl();
    await activate(license_key, first);
    await deactivate(license_key, first);
    await activate(license_key, newSiteUrl());
    expect(await countMoves(id)).toBe(0);
    await panel.services.licenses.setLimit(id, 11, OPERATOR);
    await panel.services.licenses.setLimit(id, 13, OPERATOR);
    await activate(license_key, newSiteUrl());
    expect(await countMoves(id)).toBe(0);
    await activate(license_key, newSiteUrl());
    expect(await countMoves(id)).toBe(1);
  });

  it('include a site that follows one that an owner disconnected or archived', async () => {
    const { id, license_key } = await panel.license({ siteLimit: 2 });
    const { body: released } = await activate(license_key, newSiteUrl());
    const { body: archived } = await activate(license_key, newSiteUrl());
    await panel.services.activations.release(id, released.activation.site_id, OPERATOR);
    await panel.services.siteArchive.archive([archived.activation.site_id], OPERATOR);
    await activate(license_key, newSiteUrl());
    await activate(license_key, newSiteUrl());
    expect(await countMoves(id)).toBe(2);
  });

  it('leave at most 5 rows per seat, and none from the day before a move', async () => {
    const { id, license_key } = await panel.license({ siteLimit: 1 });
    for (let day = 0; day < 3; day++) {
      await moveUntilRefused(license_key);
      expect(await countMoves(id)).toBe(5);
      advance(24);
    }
  });

  it('are counted separately for sites on a local or staging address', async () => {
    const { license_key } = await panel.license({ siteLimit: 1 });
    let next = 0;
    const { sites, refusal } = await moveUntilRefused(
      license_key,
      () => `https://dev.site-${++next}.com`,
    );
    expect(sites).toBe(30);
    expect(refusal.body.code).toBe('seat_moves_exhausted');
    expect((await activate(license_key, newSiteUrl())).status).toBe(200);
  });

  it('are unlimited for a license without a site limit', async () => {
    const { license_key } = await panel.license({ siteLimit: null });
    for (let sites = 0; sites < 12; sites++) {
      const site_url = newSiteUrl();
      expect((await activate(license_key, site_url)).status).toBe(200);
      await deactivate(license_key, site_url);
    }
  });
});
