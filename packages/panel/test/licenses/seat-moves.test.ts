import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

const HOUR_MS = 60 * 60 * 1000;

describe('a seat that moves from site to site', () => {
  const panel = useTestPanel();

  const activate = (license_key: string, site_url: string) =>
    panel.post('/api/v1/license/activate', { license_key, site_url, ...VERSIONS });
  const deactivate = (license_key: string, site_url: string) =>
    panel.post('/api/v1/license/deactivate', { license_key, site_url });
  const later = (hours: number) => {
    panel.edges.now = new Date(panel.edges.now.getTime() + hours * HOUR_MS);
  };

  /** Puts the license on one site after another until it is refused. */
  async function cycle(license_key: string, newUrl = newSiteUrl) {
    for (let sites = 0; sites < 300; sites++) {
      const site_url = newUrl();
      const answer = await activate(license_key, site_url);
      if (answer.status !== 200) return { sites, refusal: answer };
      await deactivate(license_key, site_url);
    }
    throw new Error('It was never refused.');
  }

  it('cannot be cycled through 300 sites', async () => {
    const { license_key } = await panel.license({ siteLimit: 1 });
    const { sites, refusal } = await cycle(license_key);
    expect(sites).toBe(6);
    expect(refusal.status).toBe(403);
    expect(refusal.body).toMatchObject({
      code: 'seat_moves_exhausted',
      retry_at: new Date(panel.edges.now.getTime() + 24 * HOUR_MS).toISOString(),
    });
    expect(refusal.body.error).toContain(refusal.body.retry_at);
  });

  it('moves on when `retry_at` has come', async () => {
    const { license_key } = await panel.license({ siteLimit: 1 });
    for (let move = 0; move < 6; move++) {
      const site_url = newSiteUrl();
      await activate(license_key, site_url);
      later(1);
      await deactivate(license_key, site_url);
    }
    const site_url = newSiteUrl();
    const { body } = await activate(license_key, site_url);
    panel.edges.now = new Date(Date.parse(body.retry_at) - 1);
    expect((await activate(license_key, site_url)).status).toBe(403);
    panel.edges.now = new Date(Date.parse(body.retry_at));
    expect((await activate(license_key, site_url)).status).toBe(200);
  });

  it('has as many moves for each seat', async () => {
    const { license_key } = await panel.license({ siteLimit: 3 });
    await activate(license_key, newSiteUrl());
    expect((await cycle(license_key)).sites).toBe(17);
  });

  it('lets a site come back that has it already, however often', async () => {
    const { license_key } = await panel.license({ siteLimit: 1 });
    const home = newSiteUrl();
    await activate(license_key, home);
    await deactivate(license_key, home);
    await cycle(license_key);
    for (let time = 0; time < 3; time++) {
      expect((await activate(license_key, home)).status).toBe(200);
      await deactivate(license_key, home);
    }
  });

  it('is counted apart for local and staging sites, which are free', async () => {
    const { license_key } = await panel.license({ siteLimit: 1 });
    let next = 0;
    const { sites, refusal } = await cycle(license_key, () => `https://dev.site-${++next}.com`);
    expect(sites).toBe(30);
    expect(refusal.body.code).toBe('seat_moves_exhausted');
    expect((await activate(license_key, newSiteUrl())).status).toBe(200);
  });

  it('has no such limit where the license has none', async () => {
    const { license_key } = await panel.license({ siteLimit: null });
    for (let sites = 0; sites < 12; sites++) {
      const site_url = newSiteUrl();
      expect((await activate(license_key, site_url)).status).toBe(200);
      await deactivate(license_key, site_url);
    }
  });
});
