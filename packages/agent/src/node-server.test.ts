import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSiteServer, siteByFirstSegment } from './node-server.ts';
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
    throw new Error('A fault of the site.');
  },
  cut: async () => Response.error(),
  broken: async () => brokenBody(),
};

describe('a server of sites', () => {
  const server = createSiteServer(siteByFirstSegment(new Map(Object.entries(SITES))));
  let port = 0;
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  it('passes method and body to the site that the first segment names', async () => {
    expect(await (await ask('/echo/x')).text()).toBe('GET ');
    const posted = await ask('/echo', { method: 'POST', body: 'hello' });
    expect(await posted.text()).toBe('POST hello');
  });

  it('answers 404 for a site that is not there, and 500 for one that fails', async () => {
    expect((await ask('/nobody')).status).toBe(404);
    expect((await ask('/')).status).toBe(404);
    expect((await ask('/failing')).status).toBe(500);
  });

  it('cuts the connection for a network error, and when a body breaks off', async () => {
    await expect(ask('/cut')).rejects.toThrow('fetch failed');
    await expect(ask('/broken').then((answer) => answer.text())).rejects.toThrow();
  });

  it('answers 400 to what cannot be made a request of', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.end('GET /echo HTTP/1.1\r\nHost: not a host\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });
});
