import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createTarget,
  resolveToLocalhost,
  respondWith,
  SUCCESS,
  siteClient,
  startHttpSite,
  startRawHttpSite,
  startTcpSite,
} from '@steward/testkit/sites/fake-sites.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createConnection } from './connection.ts';
import { type Failed, mayHaveActed } from './index.ts';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** A port that no server listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('a failure before anything was sent', () => {
  const unsent = { kind: 'failed', sent: false, httpStatus: null };

  it('reports a host name that cannot be resolved', async () => {
    const error = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    const client = siteClient({ lookup: () => Promise.reject(error) });
    expect(await client.sync(createTarget('https://gone.example.com'))).toMatchObject({
      ...unsent,
      code: 'site_unreachable',
      reason: 'dns',
      detail: 'ENOTFOUND',
      error: expect.stringContaining('gone.example.com'),
    });
  });

  it('reports a host name without addresses', async () => {
    const client = siteClient({ lookup: async () => [] });
    const outcome = await client.sync(createTarget('https://gone.example.com'));
    expect(outcome).toMatchObject({ ...unsent, reason: 'dns' });
  });

  it('reports a refused connection', async () => {
    const outcome = await siteClient().sync(createTarget(`http://127.0.0.1:${await closedPort()}`));
    expect(outcome).toMatchObject({
      ...unsent,
      code: 'site_unreachable',
      reason: 'connect',
      detail: 'ECONNREFUSED',
      error: expect.stringContaining('web server is running'),
    });
  });

  it('throws for a bug of the panel, without the key in the error', async () => {
    const call = siteClient().sync({
      ...createTarget('http://127.0.0.1:9'),
      serviceKey: 'bad\nkey',
    });
    await expect(call).rejects.toThrow(/^invalid x-service-key header$/i);
  });

  it('reports an invalid site URL', async () => {
    const outcome = await siteClient().sync(createTarget('ftp://shop.example.com'));
    expect(outcome).toMatchObject({ ...unsent, code: 'site_unreachable', reason: 'bad_address' });
  });
});

describe('a failure after the request may have arrived', () => {
  const sent = { kind: 'failed', sent: true };
  const lost = { ...sent, code: 'site_unreachable', reason: 'connection_lost' };

  const partial = (rest: string) => () =>
    startRawHttpSite((socket) => void socket.end(HEAD + rest));
  for (const [when, site, httpStatus] of [
    ['as soon as it opens', () => startTcpSite((socket) => void socket.destroy()), null],
    ['gracefully, as soon as it opens', () => startTcpSite((socket) => void socket.end()), null],
    ['after the request', () => startRawHttpSite((socket) => void socket.end()), null],
    [
      'with a reset after the request',
      () => startRawHttpSite((socket) => void socket.resetAndDestroy()),
      null,
    ],
    ['within the headers', partial('cont'), null],
    ['within the body', partial('content-length: 16\r\n\r\n{"succ'), 200],
    ['within a chunk', partial('transfer-encoding: chunked\r\n\r\n10\r\n{"succ'), 200],
    [
      'as announced but within the body',
      partial('connection: close\r\ncontent-length: 16\r\n\r\n{"succ'),
      200,
    ],
    [
      'as announced but within a chunk',
      partial('connection: close\r\ntransfer-encoding: chunked\r\n\r\n10\r\n{"succ'),
      200,
    ],
  ] as const) {
    it(`reports a connection closed ${when} and opens no other`, async () => {
      const { url, connections } = await site();
      const outcome = await siteClient().bulkUpdate(createTarget(url));
      expect(outcome).toMatchObject({ ...lost, httpStatus });
      expect(outcome).toHaveProperty(
        'error',
        expect.stringContaining('was lost before the response'),
      );
      expect(connections()).toBe(1);
    });
  }

  it('never opens a second connection, even if the HTTP library tries', async () => {
    const { port, connections } = await startTcpSite(() => {});
    const connection = createConnection({
      lookup: resolveToLocalhost,
      mayConnectTo: () => true,
      connectMs: 10_000,
    });
    onTestFinished(() => connection.destroy(new Error('The test is over.')));
    const address = { hostname: 'shop.test', protocol: 'http:', port: String(port) };
    const open = () =>
      new Promise<Socket | null>((resolve, reject) => {
        connection.connect(address, (error, socket) => (error ? reject(error) : resolve(socket)));
      });
    await open();
    await expect(open()).rejects.toThrow('already used');
    expect([connection.phase(), connections()]).toEqual(['open', 1]);
  });

  it('reports a response that is not HTTP', async () => {
    const greeting = '220 mail.example.com ESMTP\r\n';
    const { url } = await startRawHttpSite((socket) => void socket.end(greeting));
    expect(await siteClient().sync(createTarget(url))).toMatchObject({
      ...sent,
      code: 'site_invalid_response',
      reason: 'not_http',
      httpStatus: null,
    });
  });

  const tooLarge = { ...sent, code: 'site_response_too_large', reason: 'too_large' };
  const MEBIBYTE = Buffer.alloc(1024 * 1024, ' ');

  it('accepts a response of one mebibyte', async () => {
    const { url } = await startHttpSite((_request, response) => {
      response.end(Buffer.from(MEBIBYTE).fill(SUCCESS, 0, SUCCESS.length));
    });
    expect(await siteClient().sync(createTarget(url))).toMatchObject({ kind: 'answered' });
  });

  it.each([
    ['too many items', { success: true, plugins: Array(2001).fill(0) }],
    ['too deep nesting', { success: true, a: [[[[[[[[]]]]]]]] }],
  ])('does not read a response with %s', async (_what, response) => {
    for (const status of [200, 500, 503]) {
      const { url } = await startHttpSite(respondWith(status, JSON.stringify(response)));
      const outcome = await siteClient().bulkUpdate(createTarget(url));
      expect(outcome).toMatchObject({ ...tooLarge, httpStatus: status });
      // The worker must reconcile such a call.
      expect(mayHaveActed(outcome as Failed)).toBe(true);
    }
  });

  it('accepts the maximum number of items and truncates texts', async () => {
    const item = { slug: 'a/a.php', new_version: '2.0', success: false, error: 'x'.repeat(350) };
    const results = { plugins: Array(1999).fill(item), themes: [], core: null };
    const error = { type: 'system', slug: null, error: `${' '.repeat(200_000)}late` };
    const response = { success: false, results, errors: [error] };
    const { url } = await startHttpSite(respondWith(200, JSON.stringify(response)));
    const outcome = await siteClient().bulkUpdate(createTarget(url));
    if (outcome.kind !== 'answered') throw new Error(outcome.error);
    expect(outcome.body.results.plugins).toHaveLength(1999);
    expect(outcome.body.results.plugins[0]?.error).toBe(`${'x'.repeat(299)}…`);
    expect(outcome.body.errors).toEqual([{ ...error, error: '' }]);
  });

  it('truncates a long warning', async () => {
    const request = { action: 'activate', plugin: 'a/a.php' } as const;
    const response = { success: true, ...request, warnings: ['x'.repeat(5000)] };
    const { url } = await startHttpSite(respondWith(200, JSON.stringify(response)));
    expect(await siteClient().pluginAction(createTarget(url), request)).toMatchObject({
      body: { ...request, warnings: [`${'x'.repeat(299)}…`] },
    });
  });

  it('checks a page of several megabytes', async () => {
    const page = (end: string) => `<html>${'<p>x</p>'.repeat(400_000)}${end}`;
    for (const [end, facts] of [
      ['</html>', { has_fatal_error: false, is_complete: true }],
      ['\nPHP Fatal error: x', { has_fatal_error: true, is_complete: false }],
      ['<b>Parse error</b>: x</html>', { has_fatal_error: true, is_complete: true }],
      ['xPHP Fatal error', { has_fatal_error: false, is_complete: false }],
    ] as const) {
      const { url } = await startHttpSite(respondWith(200, page(end)));
      expect(await siteClient().observePage(createTarget(url))).toMatchObject({
        http_status: 200,
        ...facts,
      });
    }
  });

  it('aborts a response that exceeds the limit while receiving it', async () => {
    let written = 0;
    const { url } = await startHttpSite(async (_request, response) => {
      // Endless: only the client can end this response.
      while (!response.destroyed) {
        written++;
        if (!response.write(MEBIBYTE)) {
          await Promise.race([once(response, 'drain'), once(response, 'close')]);
        }
      }
    });
    expect(await siteClient().sync(createTarget(url))).toMatchObject(tooLarge);
    expect(written).toBeLessThan(100);
  });

  it('aborts endless headers', async () => {
    const { url } = await startRawHttpSite((socket) => {
      socket.write(`${HEAD}x-long: ${'x'.repeat(100_000)}`);
    });
    expect(await siteClient().sync(createTarget(url))).toMatchObject(tooLarge);
  });
});

describe('stopping', () => {
  const stopped = { kind: 'failed', code: 'unavailable', reason: 'stopped' };

  it('aborts a call that waits for its response and closes the connection', async () => {
    const arrived = Promise.withResolvers<Socket>();
    const { url } = await startHttpSite((request) => arrived.resolve(request.socket));
    const abort = new AbortController();
    const call = siteClient().bulkUpdate(createTarget(url), { signal: abort.signal });
    const socket = await arrived.promise;
    const closed = once(socket, 'close');
    abort.abort();
    expect(await call).toMatchObject({ ...stopped, sent: true });
    await closed;
  });

  it('aborts a call that is not connected yet', async () => {
    const abort = new AbortController();
    const client = siteClient({ lookup: () => new Promise(() => {}) });
    const call = client.sync(createTarget('http://shop.example.com'), { signal: abort.signal });
    await nextTurn();
    abort.abort();
    expect(await call).toMatchObject({ ...stopped, sent: false });
  });

  it('does not start a call whose signal is already aborted', async () => {
    const { url, connections } = await startHttpSite(() => {});
    const call = siteClient().sync(createTarget(url), { signal: AbortSignal.abort() });
    expect(await call).toMatchObject({ ...stopped, sent: false });
    expect(connections()).toBe(0);
  });

  it('aborts all calls when the client closes, and starts no others', async () => {
    let arrived = 0;
    const all = Promise.withResolvers<void>();
    const { url, connections } = await startHttpSite(() => {
      if (++arrived === 20) all.resolve();
    });
    const client = siteClient();
    const calls = Array.from({ length: 20 }, () => client.sync(createTarget(url)));
    await all.promise;
    await client.close();
    for (const outcome of await Promise.all(calls)) {
      expect(outcome).toMatchObject({ ...stopped, sent: true });
    }
    expect(await client.sync(createTarget(url))).toMatchObject({ ...stopped, sent: false });
    expect(connections()).toBe(20);
  });
});
