import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemoryOptions } from '@steward/testkit/sites/memory-platform.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { KEY, listen } from '../test/support/served-site.ts';
import { isLicensed, startCheckIns } from './check-in.ts';
import { createPanelLink, PanelRefused, PanelUnavailable } from './panel-link.ts';

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
      acceptsUnsignedCalls: false,
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

  it('keeps what it had when connecting with another key fails', async () => {
    next = { status: 403, body: refusal('site_limit_reached') };
    const { options, link } = connected();
    const before = await options.read();
    const panelUrl = before.service_panel_url ?? '';
    await expect(link.activate(panelUrl, 'other')).rejects.toThrow(PanelRefused);
    expect(await options.read()).toEqual(before);
  });

  it('does not take just any answer for a goodbye', async () => {
    next = { status: 200, body: '{"success":false}' };
    const { options, link } = connected();
    const before = await options.read();
    await expect(link.deactivate()).rejects.toThrow(PanelUnavailable);
    expect(await options.read()).toEqual(before);
  });
});

describe('when a site checks in', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** The moments, in seconds from the start, at which it checked in. */
  async function momentsOf(answers: (number | Error)[], withinSeconds: number): Promise<number[]> {
    const start = Date.now();
    const moments: number[] = [];
    const stop = startCheckIns(
      async () => {
        moments.push((Date.now() - start) / 1000);
        const answer = answers.shift() ?? 1_000_000;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      () => {},
    );
    await vi.advanceTimersByTimeAsync(withinSeconds * 1000);
    stop();
    return moments;
  }

  it('begins after a minute and then comes when the panel wants', async () => {
    expect(await momentsOf([100, 200], 1000)).toEqual([60, 160, 360]);
  });

  it('asks again in a quarter of an hour after silence, in half a day after a no', async () => {
    expect(await momentsOf([new PanelUnavailable('')], 1000)).toEqual([60, 960]);
    const no = new PanelRefused('license_expired', '');
    expect(await momentsOf([no], 60 + 12 * 3600)).toEqual([60, 60 + 12 * 3600]);
  });

  it('comes neither all the time nor never, whatever the panel says', async () => {
    expect(await momentsOf([0, -5, 0], 200)).toEqual([60, 120, 180]);
    const week = 7 * 24 * 3600;
    expect(await momentsOf([2_200_000], 60 + week)).toEqual([60, 60 + week]);
  });
});
