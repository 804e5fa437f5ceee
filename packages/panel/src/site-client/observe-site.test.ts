import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { canonicalSiteUrl, generateSiteKey, proofText } from '@steward/contract';
import { siteClient, startHttpSite, startTcpSite } from '@steward/testkit/sites/fake-sites.ts';
import { describe, expect, it } from 'vitest';

const SITE_KEY = generateSiteKey(randomBytes);
const HOME = `<html><body>${'Welcome. '.repeat(300)}</body></html>`;

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** A site whose application proves its address, unless the test replaces a response. */
async function startSite({ home, proof }: { home?: Respond; proof?: Respond } = {}) {
  const requests: string[] = [];
  const site = await startHttpSite(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (request.method === 'GET') {
      if (home) return home(request, response);
      return void response.writeHead(200, { 'content-type': 'text/html' }).end(HOME);
    }
    if (proof) return proof(request, response);
    const { challenge } = JSON.parse(await text(request));
    const canonical = canonicalSiteUrl(site.url);
    if (!canonical.ok) throw new Error('Not a site URL.');
    const hmac = createHmac('sha256', SITE_KEY).update(proofText(challenge, canonical.canonical));
    response.writeHead(200).end(JSON.stringify({ success: true, proof: hmac.digest('hex') }));
  });
  return { ...site, requests };
}

const observe = async (siteUrl: string, serviceKey = SITE_KEY) => {
  const observation = await siteClient().observe(
    { siteUrl, endpointUrl: null, serviceKey },
    { seconds: 1 },
  );
  if (!observation) throw new Error('The client was stopped.');
  return observation;
};
const respond =
  (status: number, body: string, headers = {}): Respond =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

describe('observe', () => {
  it('uses one connection for both requests', async () => {
    const sockets = new Set();
    const site = await startSite({
      home: (request, response) => {
        sockets.add(request.socket);
        response.end(HOME);
      },
      proof: (request, response) => {
        sockets.add(request.socket);
        request.resume();
        respond(401, '{"success":false,"error":"No.","code":"invalid_service_key"}')(
          request,
          response,
        );
      },
    });
    await observe(site.url);
    expect(sockets.size).toBe(1);
  });

  it('sends the second request again if the site has closed the connection', async () => {
    const used = new Set();
    const site = await startSite({
      home: (request, response) => {
        used.add(request.socket);
        response.end(HOME);
      },
      proof: (request, response) => {
        if (used.has(request.socket)) return void request.socket.destroy();
        request.resume();
        respond(401, '{"success":false,"error":"No.","code":"invalid_service_key"}')(
          request,
          response,
        );
      },
    });
    const { application } = await observe(site.url);
    expect(application).toMatchObject({ is_complete: true, error: null });
    expect(site.requests.filter((each) => each.startsWith('POST'))).toHaveLength(2);
  });

  it('loads the home page as a visitor, and asks the application for a proof', async () => {
    const site = await startSite();
    const { home, application } = await observe(site.url);
    expect(home).toEqual({
      http_status: 200,
      bytes: HOME.length,
      has_fatal_error: false,
      is_complete: true,
      obstacle: null,
      error: null,
    });
    expect(application).toMatchObject({ http_status: 200, is_complete: true, error: null });
    expect(site.requests).toEqual(['GET /', expect.stringMatching(/^POST .*remote\/proof$/)]);
  });

  it('requests a page that no cache has, if the site has no site key', async () => {
    const home: Respond = ({ url }, response) =>
      void response.writeHead(url?.includes('steward_check=') ? 500 : 200).end(HOME);
    const site = await startSite({ home });
    const { home: page, application } = await observe(site.url, 'STWD-shared');
    expect([page.http_status, application.http_status, application.is_complete]).toEqual([
      200,
      500,
      false,
    ]);
    expect(site.requests).toHaveLength(2);
  });

  it.each<[string, Respond, object]>([
    [
      'a proof of another key',
      respond(200, JSON.stringify({ success: true, proof: '0'.repeat(64) })),
      { is_complete: false, error: 'site_invalid_response' },
    ],
    ['a page', respond(200, HOME), { is_complete: false, error: 'site_invalid_response' }],
    [
      'a fatal error',
      respond(500, '<b>Fatal error</b>: Uncaught Error'),
      { has_fatal_error: true, is_complete: false, error: 'site_invalid_response' },
    ],
    [
      'the watchdog of a dead site',
      respond(500, JSON.stringify({ success: false, code: 'site_down', error: 'Down.' })),
      { has_fatal_error: true, is_complete: false, error: 'site_down' },
    ],
    [
      'an error of the plugin',
      respond(401, JSON.stringify({ success: false, code: 'invalid_signature', error: 'No.' })),
      { is_complete: true, error: null, obstacle: null },
    ],
    [
      'a login',
      respond(401, 'Unauthorized'),
      { is_complete: false, obstacle: 'login', error: null },
    ],
    ['too many requests', respond(429, 'Slow down'), { obstacle: 'firewall' }],
    ['a challenge', respond(403, HOME, { 'cf-mitigated': 'challenge' }), { obstacle: 'firewall' }],
    [
      'a busy site',
      respond(503, JSON.stringify({ success: false, code: 'site_busy', error: 'Busy.' })),
      { obstacle: 'maintenance' },
    ],
  ])('distinguishes %s from a proof of the application', async (_name, proof, expected) => {
    const site = await startSite({ proof });
    expect((await observe(site.url)).application).toMatchObject(expected);
  });

  it('follows redirects on the same host only', async () => {
    const home: Respond = ({ url }, response) => {
      if (url === '/en/') return respond(200, HOME)({} as IncomingMessage, response);
      return void response.writeHead(302, { location: '/en/' }).end();
    };
    expect((await observe((await startSite({ home })).url)).home.bytes).toBe(HOME.length);
    const elsewhere = await startSite({
      home: respond(301, '', { location: 'http://other.example/' }),
    });
    expect((await observe(elsewhere.url)).home).toMatchObject({ http_status: 301, error: null });
    const loop = await startSite({
      home: ({ url }, response) =>
        respond(302, '', { location: `${url}x` })({} as IncomingMessage, response),
    });
    expect((await observe(loop.url)).home.http_status).toBe(302);
    expect(loop.requests.length).toBeLessThan(10);
  });

  it('stops reading an endless page', async () => {
    const home: Respond = (_request, response) => {
      response.writeHead(200);
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
        response.once('drain', write);
      };
      write();
    };
    const { home: page } = await observe((await startSite({ home })).url);
    expect(page).toMatchObject({ http_status: 200, error: null });
    expect(page.bytes).toBeGreaterThan(1024 * 1024);
  });

  it('reports a host that refuses, and one that does not respond', async () => {
    const connections = await startTcpSite((socket) => void socket.destroy());
    expect((await observe(connections.url)).home).toMatchObject({
      http_status: null,
      error: 'site_unreachable',
    });
    const silent = await startTcpSite(() => {});
    expect((await observe(silent.url)).home.error).toBe('site_timeout');
  });
});

describe('observePage', () => {
  it('loads a page below the home address, and no other address', async () => {
    const site = await startSite();
    const { url } = site;
    const target = { siteUrl: `${url}/shop`, endpointUrl: null, serviceKey: SITE_KEY };
    const load = (path: string) =>
      siteClient().observePage(target, { page: { path }, ticket: 'the-ticket' });
    expect(await load('/wp-login.php?lang=de')).toMatchObject({ http_status: 200, error: null });
    expect(site.requests).toEqual(['GET /shop/wp-login.php?lang=de&steward_check=the-ticket']);
    const { port } = new URL(url);
    for (const path of [
      `@127.0.0.1:${port}/`,
      `//127.0.0.1:${port}/`,
      '/../blog/',
      `${url}/shop/`,
    ]) {
      expect(await load(path)).toMatchObject({ http_status: null, error: 'site_unreachable' });
    }
    expect(site.requests).toHaveLength(1);
  });
});
