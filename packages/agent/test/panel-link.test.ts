import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLicensed } from '../src/check-in.ts';
import { createPanelLink, PanelRefused, PanelUnavailable } from '../src/panel-link.ts';
import { createMemoryOptions } from '../src/platforms/memory.ts';
import { KEY, listen } from './support/served-site.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A panel that answers as the test says: what a real one answers is tested with a real one. */
describe('what a site makes of the answers of its panel', () => {
  let server: Server;
  let next = { status: 200, body: '' };
  let now = new Date('2026-06-01T12:00:00Z');
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(next.status).end(next.body));
    });
    await listen(server);
  });
  afterAll(() => void server.close());

  const connected = () => {
    const options = createMemoryOptions({
      service_license_key: KEY,
      service_panel_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      license_valid: true,
      license_confirmed_at: now.toISOString(),
    });
    const versions = async () => ({ cms_version: '6', php_version: '8', plugin_version: '1' });
    const site = {
      siteUrl: 'https://shop.example.com',
      environment: 'production' as const,
      versions,
    };
    return { options, link: createPanelLink({ site, options, now: () => now }) };
  };
  const refusal = (code: string) => JSON.stringify({ success: false, error: 'No.', code });

  for (const [status, body] of [
    [500, refusal('internal_error')],
    [503, refusal('unavailable')],
    [429, refusal('rate_limited')],
    [502, '<html>bad gateway</html>'],
    [200, '<html>the home page</html>'],
    [200, '{"success":true}'],
    [403, '<html>forbidden by a firewall</html>'],
  ] as const) {
    it(`takes ${status} ${body.slice(0, 40)} for no verdict`, async () => {
      next = { status, body };
      const { options, link } = connected();
      await expect(link.check()).rejects.toThrow(PanelUnavailable);
      expect((await options.read()).license_valid).toBe(true);
    });
  }

  for (const [status, code] of [
    [401, 'invalid_license_key'],
    [401, 'invalid_activation_token'],
    [403, 'license_expired'],
    [403, 'license_suspended'],
    [403, 'license_revoked'],
    [404, 'site_not_activated'],
  ] as const) {
    it(`takes ${status} ${code} for a no`, async () => {
      next = { status, body: refusal(code) };
      const { options, link } = connected();
      await expect(link.check()).rejects.toThrow(PanelRefused);
      expect(isLicensed(await options.read(), now)).toBe(false);
    });
  }

  it('does not take a refusal of its own request for a verdict on the license', async () => {
    next = { status: 400, body: refusal('invalid_request') };
    const { options, link } = connected();
    await expect(link.check()).rejects.toThrow(PanelRefused);
    expect(isLicensed(await options.read(), now)).toBe(true);
  });

  it('goes on for 14 days of silence, and not longer', async () => {
    next = { status: 503, body: '' };
    const { options, link } = connected();
    const start = now.getTime();
    await expect(link.check()).rejects.toThrow(PanelUnavailable);
    const known = await options.read();
    expect(isLicensed(known, new Date(start + 14 * DAY_MS - 1))).toBe(true);
    expect(isLicensed(known, new Date(start + 14 * DAY_MS))).toBe(false);
    now = new Date(start);
  });

  it('keeps what it had when connecting to another panel fails', async () => {
    next = { status: 403, body: refusal('site_limit_reached') };
    const { options, link } = connected();
    const before = await options.read();
    await expect(link.activate('http://127.0.0.1:1', 'other')).rejects.toThrow(PanelUnavailable);
    expect(await options.read()).toEqual(before);
  });
});
