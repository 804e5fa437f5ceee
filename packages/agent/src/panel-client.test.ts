import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemoryOptions } from '@steward/testkit/sites/memory-platform.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { KEY, listen } from '../test/support/served-site.ts';
import { isLicensed, startCheckIns } from './check-in.ts';
import { createPanelClient, type SiteIdentity } from './panel-client.ts';
import { PanelRefused, PanelUnavailable } from './panel-errors.ts';
import type { SiteOptions } from './site-options.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Uses a fake panel with scripted responses. Tests with a real panel are in e2e and packages/panel. */
describe('panel client', () => {
  let server: Server;
  let panelResponse = { status: 200, body: '' };
  let lastRequest = '';
  let now = new Date('2026-06-01T12:00:00Z');
  beforeAll(async () => {
    server = createServer((request, response) => {
      lastRequest = '';
      request.setEncoding('utf8').on('data', (text) => {
        lastRequest += text;
      });
      request.on('end', () => response.writeHead(panelResponse.status).end(panelResponse.body));
    });
    await listen(server);
  });
  afterAll(() => void server.close());

  const connect = (more: Partial<SiteIdentity> = {}, stored: Partial<SiteOptions> = {}) => {
    const options = createMemoryOptions({
      service_license_key: KEY,
      service_panel_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      license_valid: true,
      license_confirmed_at: now.toISOString(),
      ...stored,
    });
    const readVersions = async () => ({ cms_version: '6', php_version: '8', plugin_version: '1' });
    const site = {
      siteUrl: 'https://shop.example.com',
      environment: 'production' as const,
      acceptsUnsignedCalls: false,
      readVersions,
      ...more,
    };
    return { options, panelClient: createPanelClient({ site, options, now: () => now }) };
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
    it(`keeps the last verdict after ${status} ${body.slice(0, 40)}`, async () => {
      panelResponse = { status, body };
      const { options, panelClient } = connect();
      await expect(panelClient.check()).rejects.toThrow(PanelUnavailable);
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
    it(`treats the license as invalid after ${status} ${code}`, async () => {
      panelResponse = { status, body: refusal(code) };
      const { options, panelClient } = connect();
      await expect(panelClient.check()).rejects.toThrow(PanelRefused);
      expect(isLicensed(await options.read(), now)).toBe(false);
    });
  }

  it('keeps the license valid after a refusal that is not about the license', async () => {
    panelResponse = { status: 400, body: refusal('invalid_request') };
    const { options, panelClient } = connect();
    await expect(panelClient.check()).rejects.toThrow(PanelRefused);
    expect(isLicensed(await options.read(), now)).toBe(true);
  });

  it('stays licensed for 14 days without contact to the panel, and no longer', async () => {
    panelResponse = { status: 503, body: '' };
    const { options, panelClient } = connect();
    const start = now.getTime();
    await expect(panelClient.check()).rejects.toThrow(PanelUnavailable);
    const known = await options.read();
    expect(isLicensed(known, new Date(start + 14 * DAY_MS - 1))).toBe(true);
    expect(isLicensed(known, new Date(start + 14 * DAY_MS))).toBe(false);
    now = new Date(start);
  });

  it('keeps its connection when activating another key fails', async () => {
    panelResponse = { status: 403, body: refusal('site_limit_reached') };
    const { options, panelClient } = connect();
    const before = await options.read();
    const panelUrl = before.service_panel_url ?? '';
    await expect(panelClient.activate(panelUrl, 'other')).rejects.toThrow(PanelRefused);
    expect(await options.read()).toEqual(before);
  });

  it('announces the extensions that the agent supports, at activation, in check-ins and in reports', async () => {
    panelResponse = { status: 503, body: '' };
    const { panelClient } = connect();
    const panelUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const inventory = { plugins: [], themes: [], core: { version: '6' } };
    for (const send of [
      () => panelClient.activate(panelUrl, 'other'),
      () => panelClient.check(),
      () => panelClient.verify(inventory),
    ]) {
      await expect(send()).rejects.toThrow(PanelUnavailable);
      expect(JSON.parse(lastRequest).capabilities.toSorted()).toEqual([
        'call_log',
        'install',
        'preflight',
        'restore',
        'result_details',
        'signed_calls',
        'site_key',
        'update.items',
      ]);
    }
  });

  it('reports the errors that the platform records, if the panel reads them', async () => {
    panelResponse = { status: 503, body: '' };
    const readItemErrors = async () => [];
    const report = async (panel_capabilities: string[]) => {
      const { panelClient } = connect({ readItemErrors }, { panel_capabilities });
      const inventory = { plugins: [], themes: [], core: { version: '6' } };
      await expect(panelClient.verify(inventory)).rejects.toThrow(PanelUnavailable);
      return JSON.parse(lastRequest);
    };
    const { capabilities, item_errors } = await report(['item_errors']);
    expect(capabilities).toContain('item_errors');
    expect(item_errors).toEqual({ now: now.toISOString(), dropped: 0, groups: [] });
    expect(await report([])).not.toHaveProperty('item_errors');
  });

  it('keeps its connection when the response to deactivate is invalid', async () => {
    panelResponse = { status: 200, body: '{"success":false}' };
    const { options, panelClient } = connect();
    const before = await options.read();
    await expect(panelClient.deactivate()).rejects.toThrow(PanelUnavailable);
    expect(await options.read()).toEqual(before);
  });
});

describe('check-in schedule', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Returns the times of the check-ins, in seconds from the start. */
  async function recordCheckIns(
    responses: (number | Error)[],
    withinSeconds: number,
  ): Promise<number[]> {
    const start = Date.now();
    const times: number[] = [];
    const stop = startCheckIns(
      async () => {
        times.push((Date.now() - start) / 1000);
        const response = responses.shift() ?? 1_000_000;
        if (response instanceof Error) throw response;
        return response;
      },
      () => {},
    );
    await vi.advanceTimersByTimeAsync(withinSeconds * 1000);
    stop();
    return times;
  }

  it('starts after a minute and then follows the interval the panel sets', async () => {
    expect(await recordCheckIns([100, 200], 1000)).toEqual([60, 160, 360]);
  });

  it('retries 15 minutes after an unreachable panel and 12 hours after a refusal', async () => {
    expect(await recordCheckIns([new PanelUnavailable('')], 1000)).toEqual([60, 960]);
    const refused = new PanelRefused('license_expired', '');
    expect(await recordCheckIns([refused], 60 + 12 * 3600)).toEqual([60, 60 + 12 * 3600]);
  });

  it('retries soon after unexpected errors, then less often, up to an hour', async () => {
    const errors = Array.from({ length: 8 }, () => new Error('Disk error'));
    const minutes = [1, 2, 4, 8, 16, 32, 64, 124, 184];
    expect(await recordCheckIns(errors, 190 * 60)).toEqual(minutes.map((minute) => minute * 60));
    const again = [new Error('Disk error'), 100, new Error('Disk error')];
    expect(await recordCheckIns(again, 300)).toEqual([60, 120, 220, 280]);
  });

  it.each(['succeeds', 'fails'])(
    'ends when it is stopped during a check-in that %s',
    async (end) => {
      const running = Promise.withResolvers<number>();
      const checkIn = vi.fn(() => running.promise);
      const stop = startCheckIns(checkIn, () => {});
      await vi.advanceTimersByTimeAsync(60_000);
      stop();
      if (end === 'succeeds') running.resolve(100);
      else running.reject(new Error('Disk error'));
      await vi.advanceTimersByTimeAsync(DAY_MS);
      expect(checkIn).toHaveBeenCalledTimes(1);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it('limits the interval to between a minute and a week', async () => {
    expect(await recordCheckIns([0, -5, 0], 200)).toEqual([60, 120, 180]);
    const week = 7 * 24 * 3600;
    expect(await recordCheckIns([2_200_000], 60 + week)).toEqual([60, 60 + week]);
  });
});
