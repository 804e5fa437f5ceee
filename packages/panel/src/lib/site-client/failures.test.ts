import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  afterRequest,
  httpSite,
  SUCCESS,
  siteClient,
  targetAt,
  tcpSite,
  toLocalhost,
} from '@steward/testkit/sites/stand-in-sites.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createConnection } from './connection.ts';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** A port that nobody listens on any more. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('before anything was sent', () => {
  const unsent = { kind: 'failed', sent: false, httpStatus: null };

  it('tells a name that cannot be resolved', async () => {
    const error = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    const client = siteClient({ lookup: () => Promise.reject(error) });
    expect(await client.sync(targetAt('https://gone.example.com'))).toMatchObject({
      ...unsent,
      code: 'site_unreachable',
      reason: 'dns',
      detail: 'ENOTFOUND',
      error: expect.stringContaining('gone.example.com'),
    });
  });

  it('tells a name without any address', async () => {
    const client = siteClient({ lookup: async () => [] });
    const outcome = await client.sync(targetAt('https://gone.example.com'));
    expect(outcome).toMatchObject({ ...unsent, reason: 'dns' });
  });

  it('tells a refused connection', async () => {
    const outcome = await siteClient().sync(targetAt(`http://127.0.0.1:${await closedPort()}`));
    expect(outcome).toMatchObject({
      ...unsent,
      code: 'site_unreachable',
      reason: 'connect',
      detail: 'ECONNREFUSED',
      error: expect.stringContaining('web server is running'),
    });
  });

  it('throws what is a mistake of ours, without the key', async () => {
    const call = siteClient().sync({ ...targetAt('http://127.0.0.1:9'), serviceKey: 'bad\nkey' });
    await expect(call).rejects.toThrow(/^invalid x-service-key header$/i);
  });

  it('tells an address that is none', async () => {
    const outcome = await siteClient().sync(targetAt('ftp://shop.example.com'));
    expect(outcome).toMatchObject({ ...unsent, code: 'site_unreachable', reason: 'bad_address' });
  });
});

describe('once the request may have arrived', () => {
  const sent = { kind: 'failed', sent: true };
  const lost = { ...sent, code: 'site_unreachable', reason: 'connection_lost' };

  const partial = (rest: string) => () => afterRequest((socket) => void socket.end(HEAD + rest));
  for (const [when, site, httpStatus] of [
    ['as soon as it is open', () => tcpSite((socket) => void socket.destroy()), null],
    ['in order, as soon as it is open', () => tcpSite((socket) => void socket.end()), null],
    ['after the request', () => afterRequest((socket) => void socket.end()), null],
    [
      'hard, after the request',
      () => afterRequest((socket) => void socket.resetAndDestroy()),
      null,
    ],
    ['within the headers', partial('cont'), null],
    ['within the body', partial('content-length: 16\r\n\r\n{"succ'), 200],
    ['within a chunk', partial('transfer-encoding: chunked\r\n\r\n10\r\n{"succ'), 200],
    [
      'as announced, but within the body',
      partial('connection: close\r\ncontent-length: 16\r\n\r\n{"succ'),
      200,
    ],
    [
      'as announced, but within a chunk',
      partial('connection: close\r\ntransfer-encoding: chunked\r\n\r\n10\r\n{"succ'),
      200,
    ],
  ] as const) {
    it(`tells a connection that is closed ${when}, and does not open another`, async () => {
      const { url, connections } = await site();
      const outcome = await siteClient().bulkUpdate(targetAt(url));
      expect(outcome).toMatchObject({ ...lost, httpStatus });
      expect(outcome).toHaveProperty(
        'error',
        expect.stringContaining('was lost before its answer'),
      );
      expect(connections()).toBe(1);
    });
  }

  it('cannot be sent again over a second connection, whatever the HTTP library does', async () => {
    const { port, connections } = await tcpSite(() => {});
    const connection = createConnection({
      lookup: toLocalhost,
      mayConnectTo: () => true,
      connectMs: 10_000,
    });
    onTestFinished(() => connection.abandon(new Error('The test is over.')));
    const address = { hostname: 'shop.test', protocol: 'http:', port: String(port) };
    const open = () =>
      new Promise<Socket | null>((resolve, reject) => {
        connection.connect(address, (error, socket) => (error ? reject(error) : resolve(socket)));
      });
    await open();
    await expect(open()).rejects.toThrow('used up');
    expect([connection.phase(), connections()]).toEqual(['open', 1]);
  });

  it('tells what is not HTTP', async () => {
    const greeting = '220 mail.example.com ESMTP\r\n';
    const { url } = await afterRequest((socket) => void socket.end(greeting));
    expect(await siteClient().sync(targetAt(url))).toMatchObject({
      ...sent,
      code: 'site_invalid_response',
      reason: 'not_http',
      httpStatus: null,
    });
  });

  const tooLarge = { ...sent, code: 'site_invalid_response', reason: 'too_large' };
  const MEBIBYTE = Buffer.alloc(1024 * 1024, ' ');

  it('takes an answer of five megabytes', async () => {
    const { url } = await httpSite((_request, response) => {
      response.end(Buffer.concat([...Array(5).fill(MEBIBYTE)]).fill(SUCCESS, 0, SUCCESS.length));
    });
    expect(await siteClient().sync(targetAt(url))).toMatchObject({ kind: 'answered' });
  });

  it('cuts off an answer of more, while it comes', async () => {
    let written = 0;
    const { url } = await httpSite(async (_request, response) => {
      // Without an end: only the caller can end this.
      while (!response.destroyed) {
        written++;
        if (!response.write(MEBIBYTE)) {
          await Promise.race([once(response, 'drain'), once(response, 'close')]);
        }
      }
    });
    expect(await siteClient().sync(targetAt(url))).toMatchObject(tooLarge);
    expect(written).toBeLessThan(100);
  });

  it('cuts off headers without end', async () => {
    const { url } = await afterRequest((socket) => {
      socket.write(`${HEAD}x-long: ${'x'.repeat(100_000)}`);
    });
    expect(await siteClient().sync(targetAt(url))).toMatchObject(tooLarge);
  });
});

describe('stopping', () => {
  const stopped = { kind: 'failed', code: 'unavailable', reason: 'stopped' };

  it('ends a call whose answer is awaited, and lets go of the connection', async () => {
    const arrived = Promise.withResolvers<Socket>();
    const { url } = await httpSite((request) => arrived.resolve(request.socket));
    const abort = new AbortController();
    const call = siteClient().bulkUpdate(targetAt(url), { signal: abort.signal });
    const socket = await arrived.promise;
    const closed = once(socket, 'close');
    abort.abort();
    expect(await call).toMatchObject({ ...stopped, sent: true });
    await closed;
  });

  it('ends a call that is not connected yet', async () => {
    const abort = new AbortController();
    const client = siteClient({ lookup: () => new Promise(() => {}) });
    const call = client.sync(targetAt('http://shop.example.com'), { signal: abort.signal });
    await nextTurn();
    abort.abort();
    expect(await call).toMatchObject({ ...stopped, sent: false });
  });

  it('does not begin a call whose signal was given before', async () => {
    const { url, connections } = await httpSite(() => {});
    const call = siteClient().sync(targetAt(url), { signal: AbortSignal.abort() });
    expect(await call).toMatchObject({ ...stopped, sent: false });
    expect(connections()).toBe(0);
  });

  it('ends everything under way when the client is closed, and begins nothing more', async () => {
    let arrived = 0;
    const all = Promise.withResolvers<void>();
    const { url, connections } = await httpSite(() => {
      if (++arrived === 20) all.resolve();
    });
    const client = siteClient();
    const calls = Array.from({ length: 20 }, () => client.sync(targetAt(url)));
    await all.promise;
    await client.close();
    for (const outcome of await Promise.all(calls)) {
      expect(outcome).toMatchObject({ ...stopped, sent: true });
    }
    expect(await client.sync(targetAt(url))).toMatchObject({ ...stopped, sent: false });
    expect(connections()).toBe(20);
  });
});
