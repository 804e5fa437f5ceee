import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createTarget,
  siteClient,
  startHttpSite,
  startTcpSite,
  TIMEOUTS,
} from '@steward/testkit/sites/fake-sites.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SiteTarget } from './index.ts';

// Fake timers do not affect sockets. They cover the whole file: undici keeps the first timer it creates,
// and the client disables all timeouts of undici.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterAll(() => void vi.useRealTimers());

async function advance(seconds: number, call?: Promise<unknown>) {
  await nextTurn();
  vi.advanceTimersByTime(seconds * 1000);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  return Promise.race([call, 'still waiting']);
}

describe('a timeout before anything was sent', () => {
  const unsent = { kind: 'failed', sent: false, httpStatus: null };

  it('reports a DNS lookup that exceeds the connect timeout', async () => {
    const client = siteClient({ lookup: () => new Promise(() => {}) });
    const call = client.sync(createTarget('https://slow.example.com'));
    await advance(TIMEOUTS.connectSeconds);
    expect(await call).toMatchObject({ ...unsent, code: 'site_unreachable', reason: 'dns' });
  });

  it('reports a handshake that exceeds the connect timeout', async () => {
    const arrived = Promise.withResolvers<void>();
    const site = await startTcpSite(() => arrived.resolve());
    const call = siteClient().sync(createTarget(`https://127.0.0.1:${site.port}`));
    await arrived.promise;
    expect(await advance(TIMEOUTS.connectSeconds - 1, call)).toBe('still waiting');
    await advance(1);
    expect(await call).toMatchObject({ ...unsent, code: 'site_unreachable', reason: 'connect' });
  });

  it('reports a call timeout that is shorter than the connect timeout', async () => {
    const timeouts = { ...TIMEOUTS, actionSeconds: 1 };
    const client = siteClient({ lookup: () => new Promise(() => {}), timeouts });
    const call = client.sync(createTarget('https://slow.example.com'));
    await advance(1);
    expect(await call).toMatchObject({ ...unsent, code: 'site_timeout', reason: 'timeout' });
  });
});

describe('a timeout after the request may have arrived', () => {
  const sent = { kind: 'failed', sent: true };

  it('waits for an update until its timeout and reports it', async () => {
    const arrived = Promise.withResolvers<void>();
    const { url } = await startHttpSite(() => arrived.resolve());
    const call = siteClient().bulkUpdate(createTarget(url));
    await arrived.promise;
    expect(await advance(TIMEOUTS.updateSeconds - 1, call)).toBe('still waiting');
    await advance(1);
    expect(await call).toMatchObject({
      ...sent,
      code: 'site_timeout',
      reason: 'timeout',
      httpStatus: null,
      error: expect.stringContaining('900 seconds'),
    });
  });

  const calls: [what: string, seconds: number, call: (target: SiteTarget) => Promise<unknown>][] = [
    ['an update', TIMEOUTS.updateSeconds, (target) => siteClient().bulkUpdate(target)],
    ['a sync', TIMEOUTS.actionSeconds, (target) => siteClient().sync(target)],
    [
      'a plugin action',
      TIMEOUTS.actionSeconds,
      (target) => siteClient().pluginAction(target, { action: 'delete', plugin: 'a.php' }),
    ],
  ];
  for (const [what, seconds, call] of calls) {
    it(`reports a timeout of ${what} during the response`, async () => {
      const started = Promise.withResolvers<void>();
      const { url } = await startHttpSite((_request, response) => {
        response.write('{"succ', () => started.resolve());
      });
      const running = call(createTarget(url));
      await started.promise;
      await advance(0);
      expect(await advance(seconds - 1, running)).toBe('still waiting');
      await advance(1);
      expect(await running).toMatchObject({
        ...sent,
        code: 'site_timeout',
        reason: 'timeout',
        httpStatus: 200,
      });
    });
  }
});
