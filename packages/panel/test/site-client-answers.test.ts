import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { ERROR_CODES } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { mayHaveActed } from '../src/lib/site-client/index.ts';
import {
  agentSite,
  httpSite,
  SERVICE_KEY,
  siteClient,
  standIn,
  targetAt,
} from './support/stand-in-sites.ts';

const ACTIVATE = { action: 'activate', plugin: 'broken/broken.php' } as const;
const SUCCESS = JSON.stringify({ success: true });

const answering =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

describe('bulkUpdate', () => {
  it('gives the results as the contract has them', async () => {
    const site = await agentSite();
    expect(await siteClient().bulkUpdate(targetAt(site.url))).toEqual({
      kind: 'answered',
      httpStatus: 200,
      body: {
        success: false,
        results: {
          plugins: [
            { slug: 'shop/shop.php', new_version: '2.0', success: true },
            { slug: 'broken/broken.php', new_version: '1.0', success: false, error: 'No room.' },
          ],
          themes: [{ slug: 'plain', new_version: '1.1', success: true }],
          core: null,
        },
        errors: [{ type: 'plugin', slug: 'broken/broken.php', error: 'No room.' }],
      },
    });
    expect(site.platform.state.plugins['shop/shop.php']?.version).toBe('2.0');
  });

  it('leaves behind what the contract does not name, and makes texts and names plain', async () => {
    const item = { slug: `a\u0000b/${SERVICE_KEY}.php`, new_version: '1.0\u202e', success: false };
    const site = await httpSite((_request, response) => {
      response.end(
        JSON.stringify({
          success: false,
          debug: { key: SERVICE_KEY },
          results: {
            plugins: [{ ...item, error: `<p>Key ${SERVICE_KEY}</p>`, trace: ['…'] }],
            themes: [],
            core: { new_version: '6.6', success: true, trace: ['…'] },
          },
          errors: [],
        }),
      );
    });
    const outcome = await siteClient().bulkUpdate(targetAt(site.url));
    const slug = 'ab/[license key].php';
    const plugin = { slug, new_version: '1.0', success: false, error: 'Key [license key]' };
    const results = { plugins: [plugin], themes: [], core: { new_version: '6.6', success: true } };
    expect(outcome).toMatchObject({ kind: 'answered' });
    expect(outcome).toHaveProperty('body', { success: false, results, errors: [] });
  });
});

describe('pluginAction', () => {
  it('acts on the site and gives its answer', async () => {
    const site = await agentSite();
    const outcome = await siteClient().pluginAction(targetAt(site.url), ACTIVATE);
    const body = { success: true, ...ACTIVATE };
    expect(outcome).toEqual({ kind: 'answered', httpStatus: 200, body });
    expect(site.platform.state.plugins['broken/broken.php']?.active).toBe(true);
  });

  it('takes no answer that is about something else', async () => {
    const site = await httpSite(
      answering(200, JSON.stringify({ success: true, action: 'delete', plugin: ACTIVATE.plugin })),
    );
    expect(await siteClient().pluginAction(targetAt(site.url), ACTIVATE)).toMatchObject({
      kind: 'failed',
      reason: 'wrong_shape',
    });
  });

  for (const [plugin, httpStatus, code] of [
    ['missing/missing.php', 404, 'plugin_not_found'],
    ['steward/steward.php', 403, 'management_plugin'],
    ['../steward.php', 400, 'invalid_plugin'],
  ] as const) {
    it(`tells the site's own ${httpStatus} ${code}`, async () => {
      const { url } = await agentSite();
      const request = { action: 'activate', plugin } as const;
      expect(await siteClient().pluginAction(targetAt(url), request)).toEqual({
        kind: 'refused',
        httpStatus,
        code,
        error: ERROR_CODES[code].message,
      });
    });
  }

  it("tells the site's own 500 with the reason it gives, as plain text", async () => {
    const { url } = await agentSite();
    const request = { action: 'update', plugin: 'broken/broken.php' } as const;
    expect(await siteClient().pluginAction(targetAt(url), request)).toEqual({
      kind: 'refused',
      httpStatus: 500,
      code: 'action_failed',
      error: 'No room.',
    });
  });

  it('tells a refused key in the words of the panel', async () => {
    const site = await agentSite();
    await site.options.write({ service_license_key: 'another' });
    expect(await siteClient().pluginAction(targetAt(site.url), ACTIVATE)).toEqual({
      kind: 'refused',
      httpStatus: 401,
      code: 'site_rejected_key',
      error: expect.stringContaining('Connect the site again'),
    });
  });
});

describe('sync', () => {
  it('gives the answer', async () => {
    const { url } = await agentSite();
    const outcome = await siteClient().sync(targetAt(url));
    expect(outcome).toEqual({ kind: 'answered', httpStatus: 200, body: { success: true } });
  });

  it('tells that another update runs', async () => {
    const body = { success: false, code: 'site_busy', error: 'Another update is running.' };
    const { url } = await httpSite(answering(409, JSON.stringify(body)));
    expect(await siteClient().sync(targetAt(url))).toMatchObject({
      kind: 'refused',
      httpStatus: 409,
      code: 'site_busy',
    });
  });
});

describe('what is sent', () => {
  async function seenBySite(call: (siteUrl: string) => Promise<unknown>) {
    const seen: { request: IncomingMessage; body: string }[] = [];
    const site = await httpSite(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push({ request, body });
      response.end(SUCCESS);
    });
    await call(site.url);
    const [first] = seen;
    if (!first || seen.length !== 1) throw new Error(`There were ${seen.length} requests.`);
    return { ...first, site };
  }

  it('is a POST of JSON with the key in its header and nowhere else', async () => {
    const { request, body, site } = await seenBySite((siteUrl) =>
      siteClient().pluginAction(targetAt(siteUrl), ACTIVATE),
    );
    const { version } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
    );
    expect(request.method).toBe('POST');
    expect(request.url).toBe('/cms-json/service/v1/remote/plugin-action');
    expect(JSON.parse(body)).toEqual(ACTIVATE);
    expect(request.headers).toEqual({
      'x-service-key': SERVICE_KEY,
      host: `127.0.0.1:${site.port}`,
      connection: 'close',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'content-length': String(body.length),
      'user-agent': `Steward/${version}`,
    });
  });

  for (const [what, siteUrl, endpointUrl, path] of [
    ['below the address of the site', 'ORIGIN/shop/', null, '/shop/cms-json/service/v1/'],
    ['where the site says', 'ORIGIN', 'ORIGIN/wp-json/service/v1/', '/wp-json/service/v1/'],
    ['with a slash that was forgotten', 'ORIGIN', 'ORIGIN/api', '/api/'],
    [
      'behind the query of plain permalinks',
      'ORIGIN/shop',
      'ORIGIN/?rest_route=/service/v1/',
      '/?rest_route=/service/v1/',
    ],
    ['without a fragment', 'ORIGIN', 'ORIGIN/api/#top', '/api/'],
    [
      'at the usual place when another origin is given',
      'ORIGIN',
      'http://localhost:1/',
      '/cms-json/service/v1/',
    ],
    ['at the usual place when no address is given', 'ORIGIN', 'nonsense', '/cms-json/service/v1/'],
  ] as const) {
    it(`goes ${what}`, async () => {
      const { request } = await seenBySite((origin) => {
        const target = targetAt(
          siteUrl.replace('ORIGIN', origin),
          endpointUrl?.replace('ORIGIN', origin) ?? null,
        );
        return siteClient().sync(target);
      });
      expect(request.url).toBe(`${path}remote/sync`);
    });
  }

  it('uses a connection of its own for each call', async () => {
    const site = await httpSite(answering(200, SUCCESS, { connection: 'keep-alive' }));
    const client = siteClient();
    for (let call = 1; call <= 3; call++) {
      expect(await client.sync(targetAt(site.url))).toMatchObject({ kind: 'answered' });
      expect(site.connections()).toBe(call);
    }
  });
});

describe('an answer that is none', () => {
  const cases: [what: string, RequestListener, expected: object, says: string][] = [
    [
      'a page with status 200',
      answering(200, '<!doctype html><title>My blog</title><style>p{}</style><p>Hello'),
      { code: 'site_invalid_response', reason: 'not_json', httpStatus: 200 },
      'It said: “My blog Hello”',
    ],
    [
      'JSON behind a PHP warning',
      answering(200, `<br /><b>Warning</b>: in x.php on line 7<br />${SUCCESS}`),
      { code: 'site_invalid_response', reason: 'not_json', httpStatus: 200 },
      'PHP warnings',
    ],
    [
      'nothing with status 200',
      answering(200, ''),
      { code: 'site_invalid_response', reason: 'not_json', httpStatus: 200 },
      'something other than JSON',
    ],
    [
      'compressed bytes that nobody asked for',
      answering(200, '\u001f\u008b\u0008', { 'content-encoding': 'gzip' }),
      { code: 'site_invalid_response', reason: 'not_json', httpStatus: 200 },
      'something other than JSON',
    ],
    [
      'JSON of another shape',
      answering(200, '{"success":"yes"}'),
      { code: 'site_invalid_response', reason: 'wrong_shape', httpStatus: 200 },
      'Update the plugin',
    ],
    [
      'a page with status 404',
      answering(404, 'Not Found'),
      { code: 'site_invalid_response', reason: 'http_status', httpStatus: 404 },
      'Check that the plugin is active',
    ],
    [
      "WordPress's own 404 for a route it does not have",
      answering(404, '{"code":"rest_no_route","message":"No route","data":{"status":404}}'),
      { code: 'site_invalid_response', reason: 'http_status', httpStatus: 404 },
      'Check that the plugin is active',
    ],
    [
      'an error whose code is no code',
      answering(403, '{"success":false,"error":"No.","code":"<b>No</b>"}'),
      { code: 'site_invalid_response', reason: 'http_status', httpStatus: 403 },
      'firewall',
    ],
    [
      'a question for a password',
      answering(401, 'Authorization Required', { 'www-authenticate': 'Basic' }),
      { code: 'site_rejected_key', reason: 'http_status', httpStatus: 401 },
      'asks for a password',
    ],
    [
      'a page with status 500',
      answering(500, 'Internal Server Error'),
      { code: 'site_invalid_response', reason: 'http_status', httpStatus: 500 },
      'may have been done',
    ],
    [
      "a gateway's 504",
      answering(504, '<h1>Gateway Time-out</h1>'),
      { code: 'site_invalid_response', reason: 'http_status', httpStatus: 504 },
      'Gateway Time-out',
    ],
  ];
  for (const [what, answer, expected, says] of cases) {
    it(`is told as a failure: ${what}`, async () => {
      const { url } = await httpSite(answer);
      const outcome = await siteClient().sync(targetAt(url));
      expect(outcome).toMatchObject({ kind: 'failed', sent: true, ...expected });
      expect(outcome).toHaveProperty('error', expect.stringContaining(says));
    });
  }

  for (const [answer, expected] of [
    ['html', { reason: 'not_json', httpStatus: 200 }],
    ['wrong_json', { reason: 'not_json', httpStatus: 200 }],
    ['wrong_shape', { reason: 'wrong_shape', httpStatus: 200 }],
    ['http_500', { reason: 'http_status', httpStatus: 500 }],
    ['cut', { reason: 'connection_lost', httpStatus: null }],
    ['cut_after', { reason: 'connection_lost', httpStatus: null }],
  ] as const) {
    it(`is told as a failure after which the site may have acted: the agent with ${answer}`, async () => {
      const { url } = await agentSite({ answer });
      const outcome = await siteClient().bulkUpdate(targetAt(url));
      expect(outcome).toMatchObject({ kind: 'failed', sent: true, ...expected });
      expect(outcome.kind === 'failed' && mayHaveActed(outcome)).toBe(true);
    });
  }

  for (const httpStatus of [302, 403, 404]) {
    it(`shows that nothing was done when it is a page with status ${httpStatus}`, async () => {
      const { url } = await httpSite(answering(httpStatus, 'No.'));
      const outcome = await siteClient().bulkUpdate(targetAt(url));
      expect(outcome.kind === 'failed' && mayHaveActed(outcome)).toBe(false);
    });
  }

  describe('503', () => {
    const asWordPress = { 'retry-after': '600' };
    // As WordPress 6.1 sends them, to who takes JSON and to who does not.
    const json =
      '{"code":"wp_die","message":"Kurzzeitig nicht verf\\u00fcgbar.","data":{"status":503},"additional_errors":[]}';
    const page =
      '<!DOCTYPE html><html><head><title>Maintenance</title></head><body id="error-page"><div class="wp-die-message">Briefly unavailable for scheduled maintenance. Check back in a minute.</div></body></html>';
    const ofContract = (code: string) =>
      JSON.stringify({ success: false, code, error: 'Another update is running.' });

    for (const [what, answer] of [
      ['WordPress is in maintenance and says so in JSON', answering(503, json, asWordPress)],
      ['WordPress is in maintenance and shows its page', answering(503, page, asWordPress)],
      ["the site says so in the contract's words", answering(503, ofContract('site_busy'))],
    ] as const) {
      it(`is told as busy, to be tried again, when ${what}`, async () => {
        const { url } = await httpSite(answer);
        expect(await siteClient().bulkUpdate(targetAt(url))).toEqual({
          kind: 'busy',
          httpStatus: 503,
          code: 'site_busy',
          reason: 'maintenance',
          error: expect.stringContaining('Try again'),
        });
      });
    }

    for (const [what, answer] of [
      ["a proxy's page", answering(503, '<h1>Service Unavailable</h1>')],
      ["a proxy's page with Retry-After", answering(503, '<h1>503</h1>', asWordPress)],
      ["a proxy's JSON", answering(503, '{"message":"no healthy upstream"}', asWordPress)],
      ['null', answering(503, 'null', asWordPress)],
      ['nothing', answering(503, '')],
      ["WordPress's words for another fault", answering(503, json)],
      ["WordPress's page for another fault", answering(503, page)],
    ] as const) {
      it(`is a failure after which the site may have acted: ${what}`, async () => {
        const { url } = await httpSite(answer);
        const outcome = await siteClient().bulkUpdate(targetAt(url));
        expect(outcome).toMatchObject({
          kind: 'failed',
          reason: 'http_status',
          code: 'site_invalid_response',
          httpStatus: 503,
          sent: true,
        });
        expect(outcome.kind === 'failed' && mayHaveActed(outcome)).toBe(true);
      });
    }
  });
});

describe('a redirect', () => {
  it('is not followed, wherever it leads', async () => {
    const elsewhere = await standIn(createServer());
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `${elsewhere.url}/login?key=secret`;
      const { url } = await httpSite(answering(status, '', { location }));
      expect(await siteClient().sync(targetAt(url))).toMatchObject({
        kind: 'failed',
        code: 'site_redirected',
        reason: 'redirect',
        sent: true,
        httpStatus: status,
        error: expect.stringContaining(`redirects to ${elsewhere.url}/login. Connect`),
      });
    }
    expect(elsewhere.connections()).toBe(0);
  });
});
