import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
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

  it('do not include an earlier site that connects again', async () => {
    const { license_key } = await panel.license({ siteLimit: 1 });
    const earlier = newSiteUrl();
    await activate(license_key, earlier);
    await deactivate(license_key, earlier);
    await moveUntilRefused(license_key);
    for (let time = 0; time < 3; time++) {
      expect((await activate(license_key, earlier)).status).toBe(200);
      await deactivate(license_key, earlier);
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
