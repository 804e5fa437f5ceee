import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CheckResponse } from '@steward/contract';
import {
  createMemoryOptions,
  createMemoryPlatform,
} from '@steward/testkit/sites/memory-platform.ts';
import type { Static } from 'typebox';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { KEY } from '../test/support/served-site.ts';
import { createSiteAgent } from './agent.ts';

const VALID_CHECK: Static<typeof CheckResponse> = {
  success: true,
  license: {
    status: 'active',
    valid: true,
    plan: { name: 'Agency', slug: 'agency', services: ['remote'] },
    site_limit: 3,
    sites_used: 1,
    sites_remaining: 2,
    expires_at: null,
  },
  activation: {
    site_id: 1,
    site_url: 'https://shop.example.com',
    status: 'active',
    counted: true,
    activated_at: '2026-06-01T12:00:00.000Z',
    last_check_at: null,
  },
  enabled_services: ['remote'],
  next_check_in: 100,
};

/** Responds to every call as a panel does to an activated site with a valid license. */
async function startPanel() {
  const requests: { path: string; body: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', body: JSON.parse(await text(request)) });
    response.end(JSON.stringify(VALID_CHECK));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function newAgent(panelUrl: string, updateMs = 0) {
  const errors: unknown[] = [];
  const platform = createMemoryPlatform({
    plugins: { 'shop/shop.php': { version: '1.0', newVersion: '2.0', active: true } },
    themes: {},
    core: { version: '6.0' },
    updateMs,
  });
  const options = createMemoryOptions({
    service_license_key: KEY,
    service_panel_url: panelUrl,
    service_enabled_services: ['remote'],
    activation_token: 'token',
  });
  const onError = (error: unknown) => void errors.push(error);
  const siteUrl = 'https://shop.example.com';
  const agent = createSiteAgent({ platform, options, siteUrl, onError });
  return { agent, platform, errors };
}

const update = () =>
  new Request('https://shop.example.com/cms-json/service/v1/remote/update', {
    method: 'POST',
    headers: { 'x-service-key': KEY },
  });

describe('site agent', () => {
  afterEach(() => void vi.useRealTimers());

  it('reports at each check-in, even when refreshing the update checks fails', async () => {
    const panel = await startPanel();
    const { agent, platform, errors } = newAgent(panel.url);
    platform.refreshUpdateChecks = async () => {
      throw new Error('The update server did not respond.');
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stop = agent.startCheckIns();
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    await vi.waitFor(() => expect(panel.requests).toHaveLength(2), 10_000);
    stop();
    expect(panel.requests.map(({ path }) => path)).toEqual([
      '/api/v1/license/check',
      '/api/v1/site/verify',
    ]);
    expect(panel.requests[1]?.body).toMatchObject({
      inventory: { plugins: [{ plugin: 'shop/shop.php', new_version: '2.0' }] },
    });
    expect(errors).toEqual([new Error('The update server did not respond.')]);
  });

  it('responds 409 during an update and is idle afterwards', async () => {
    const panel = await startPanel();
    const { agent, platform } = newAgent(panel.url, 50);
    await agent.whenIdle();
    const running = agent.handle(update());
    await vi.waitFor(async () => expect((await agent.handle(update())).status).toBe(409), 10_000);
    await agent.whenIdle();
    expect(platform.state.plugins['shop/shop.php']?.version).toBe('2.0');
    expect((await running).status).toBe(200);
  });
});
