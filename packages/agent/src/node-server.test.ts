import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSiteServer, selectByFirstSegment } from './node-server.ts';
import type { SiteHandler } from './site-handler.ts';

const brokenBody = () =>
  new Response(
    new ReadableStream({
      pull() {
        throw new Error('The disk is gone.');
      },
    }),
  );

const SITES: Record<string, SiteHandler> = {
  echo: async (request) => new Response(`${request.method} ${await request.text()}`),
  failing: async () => {
    throw new Error('The site failed.');
  },
  cut: async () => Response.error(),
  broken: async () => brokenBody(),
};

describe('site server', () => {
  const server = createSiteServer(selectByFirstSegment(new Map(Object.entries(SITES))));
  let port = 0;
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  it('passes method and body to the site named by the first path segment', async () => {
    expect(await (await get('/echo/x')).text()).toBe('GET ');
    const posted = await get('/echo', { method: 'POST', body: 'hello' });
    expect(await posted.text()).toBe('POST hello');
  });

  it('responds 404 for an unknown site and 500 for a failing one', async () => {
    expect((await get('/unknown')).status).toBe(404);
    expect((await get('/')).status).toBe(404);
    expect((await get('/failing')).status).toBe(500);
  });

  it('closes the connection on a network error and on a truncated body', async () => {
    await expect(get('/cut')).rejects.toThrow('fetch failed');
    await expect(get('/broken').then((response) => response.text())).rejects.toThrow();
  });

  it('responds 400 to an invalid host', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.end('GET /echo HTTP/1.1\r\nHost: not a host\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });
});
