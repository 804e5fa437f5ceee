import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CALL_LOG_KEPT_MAX,
  CALL_LOG_REPORT_MAX,
  CALL_LOG_START,
  NONCE_HEADER,
  SERVICE_KEY_HEADER,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from '@steward/contract';
import vectors from '@steward/contract/vectors/call-log.json' with { type: 'json' };
import {
  createMemoryOptions,
  createMemoryPlatform,
} from '@steward/testkit/sites/memory-platform.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KEY } from '../test/support/served-site.ts';
import { callLogReport, logCall } from './call-log.ts';
import { openStateFile } from './platforms/directory/state-file.ts';
import { createSiteHandler } from './site-handler.ts';
import { createWriterLock } from './writer-lock.ts';

const SIGNED = { signing_key: 'the key of the panel', panel_capabilities: ['call_log'] };

describe('call log', () => {
  it('matches the test vectors', async () => {
    const options = createMemoryOptions(SIGNED);
    for (const { route, body, nonce, timestamp } of vectors.entries) {
      await options.write({ signing_key: nonce === null ? null : SIGNED.signing_key });
      const headers = new Headers({
        [TIMESTAMP_HEADER]: String(timestamp),
        [NONCE_HEADER]: nonce ?? 'a nonce without a signature',
        [SIGNATURE_HEADER]: 'already verified',
      });
      await logCall(options, { route, headers, body }, new Date(timestamp * 1000));
    }
    const entries = vectors.entries.map(({ body: _, text: __, ...entry }) => entry);
    expect((await options.read()).call_log).toEqual(entries);
    const { sequence, hash } = entries.at(-1) ?? { sequence: 0, hash: '' };
    expect(callLogReport(await options.read())).toEqual({
      head: { sequence, hash },
      after: 0,
      entries,
    });
  });

  it('keeps a limited number of entries and reports the entries after the acknowledged one', async () => {
    const options = createMemoryOptions({ ...SIGNED, call_log_acknowledged: 100 });
    const call = { route: '/service/v1/remote/update', headers: new Headers(), body: '{}' };
    for (let n = 0; n <= CALL_LOG_KEPT_MAX; n++) await logCall(options, call, new Date());
    const { call_log } = await options.read();
    expect([call_log.length, call_log[0]?.sequence]).toEqual([CALL_LOG_KEPT_MAX, 2]);
    const { head, after, entries } = callLogReport(await options.read()) ?? {};
    expect([head?.sequence, after]).toEqual([CALL_LOG_KEPT_MAX + 1, 100]);
    expect([entries?.length, entries?.[0]?.sequence]).toEqual([CALL_LOG_REPORT_MAX, 101]);
  });

  it('is reported, even when empty, only if the panel supports it and sent a signing key', async () => {
    const report = async (change: object) =>
      callLogReport(await createMemoryOptions({ ...SIGNED, ...change }).read());
    const head = { sequence: 0, hash: CALL_LOG_START };
    expect(await report({})).toEqual({ head, after: 0, entries: [] });
    expect(await report({ panel_capabilities: ['signed_calls'] })).toBeNull();
    expect(await report({ signing_key: null })).toBeNull();
  });

  it('starts in a state file written by a version without call logs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'steward-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { change, options } = openStateFile(join(folder, 'state.json'));
    await change((state) => ({ ...state, options: { service_license_key: KEY } as never }));
    const call = { route: '/service/v1/remote/update', headers: new Headers(), body: '{}' };
    await logCall(options, call, new Date());
    expect((await options.read()).call_log).toMatchObject([{ sequence: 1, nonce: null }]);
  });
});

describe('site handler', () => {
  const services = { service_license_key: KEY, service_enabled_services: ['remote'] };
  const action = JSON.stringify({ action: 'deactivate', plugin: 'a/a.php' });

  async function newSite() {
    const options = createMemoryOptions(services);
    const platform = createMemoryPlatform({
      plugins: { 'a/a.php': { version: '1.0', active: true } },
      themes: {},
      core: { version: '6.0' },
    });
    const logged = async () => (await options.read()).call_log;
    const logLengths: number[] = [];
    const handler = createSiteHandler({
      siteUrl: 'https://shop.example',
      platform: {
        ...platform,
        async deactivatePlugin(plugin) {
          logLengths.push((await logged()).length);
          await platform.deactivatePlugin(plugin);
        },
      },
      options,
      lock: createWriterLock(),
      reportInventory: async () => {},
      onError: () => {},
    });
    const call = async (path: string, body = '{}', key = KEY) => {
      const url = `https://shop.example/cms-json/service/v1/${path}`;
      const headers = { [SERVICE_KEY_HEADER]: key };
      return (await handler(new Request(url, { method: 'POST', headers, body }))).status;
    };
    return { call, logged, logLengths, options };
  }

  it('logs a call before it runs the action', async () => {
    const { call, logged, logLengths } = await newSite();
    expect(await call('remote/plugin-action', action)).toBe(200);
    expect(logLengths).toEqual([1]);
    expect(await logged()).toMatchObject([
      {
        route: '/service/v1/remote/plugin-action',
        nonce: null,
        body_sha256: createHash('sha256').update(action).digest('hex'),
      },
    ]);
  });

  it('logs an update of single items with its body', async () => {
    const { call, logged } = await newSite();
    const body = JSON.stringify({ items: [{ type: 'plugin', slug: 'none/none.php' }] });
    expect(await call('remote/update', body)).toBe(200);
    const body_sha256 = createHash('sha256').update(body).digest('hex');
    expect(await logged()).toMatchObject([{ route: '/service/v1/remote/update', body_sha256 }]);
  });

  it('logs neither refused calls nor calls that change nothing', async () => {
    const { call, logged, options } = await newSite();
    expect(await call('remote/plugin-action', action, 'another key')).toBe(401);
    expect(await call('remote/plugin-action', '{}')).toBe(400);
    expect(await call('remote/update', '{"items":[]}')).toBe(400);
    expect(await call('remote/sync')).toBe(200);
    await options.write({ service_enabled_services: [] });
    expect(await call('remote/update')).toBe(403);
    expect(await logged()).toEqual([]);
  });

  it('keeps one unforked log under concurrent calls', async () => {
    const { call, logged } = await newSite();
    const statuses = await Promise.all(Array.from({ length: 10 }, () => call('remote/update')));
    const accepted = statuses.filter((status) => status === 200).length;
    expect(await logged()).toHaveLength(accepted);
    await call('remote/update');
    const sequences = (await logged()).map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  });
});
