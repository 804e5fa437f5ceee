import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { ERROR_CODES } from '@steward/contract';
import {
  createTarget,
  respondWith,
  SERVICE_KEY,
  SUCCESS,
  siteClient,
  startAgentSite,
  startHttpSite,
} from '@steward/testkit/sites/fake-sites.ts';
import { describe, expect, it } from 'vitest';

const ACTIVATE = { action: 'activate', plugin: 'broken/broken.php' } as const;

describe('bulkUpdate', () => {
  it('returns the results in the shape of the contract', async () => {
    const site = await startAgentSite();
    expect(await siteClient().bulkUpdate(createTarget(site.url))).toEqual({
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

  it('drops unknown fields and sanitizes texts and names', async () => {
    const item = { slug: `a\u0000b/${SERVICE_KEY}.php`, new_version: '1.0\u202e', success: false };
    const site = await startHttpSite((_request, response) => {
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
    const outcome = await siteClient().bulkUpdate(createTarget(site.url));
    const slug = 'ab/[key].php';
    const plugin = { slug, new_version: '1.0', success: false, error: 'Key [key]' };
    const results = { plugins: [plugin], themes: [], core: { new_version: '6.6', success: true } };
    expect(outcome).toMatchObject({ kind: 'answered' });
    expect(outcome).toHaveProperty('body', { success: false, results, errors: [] });
  });
});

describe('pluginAction', () => {
  it('acts on the site and returns its response', async () => {
    const site = await startAgentSite();
    const outcome = await siteClient().pluginAction(createTarget(site.url), ACTIVATE);
    const body = { success: true, ...ACTIVATE };
    expect(outcome).toEqual({ kind: 'answered', httpStatus: 200, body });
    expect(site.platform.state.plugins['broken/broken.php']?.active).toBe(true);
  });

  it('rejects the response to another request', async () => {
    const site = await startHttpSite(
      respondWith(
        200,
        JSON.stringify({ success: true, action: 'delete', plugin: ACTIVATE.plugin }),
      ),
    );
    expect(await siteClient().pluginAction(createTarget(site.url), ACTIVATE)).toMatchObject({
      kind: 'failed',
      reason: 'wrong_shape',
    });
  });

  for (const [plugin, httpStatus, code] of [
    ['missing/missing.php', 404, 'plugin_not_found'],
    ['steward/steward.php', 403, 'management_plugin'],
    ['../steward.php', 400, 'invalid_plugin'],
  ] as const) {
    it(`returns the refusal of the site: ${httpStatus} ${code}`, async () => {
      const { url } = await startAgentSite();
      const request = { action: 'activate', plugin } as const;
      expect(await siteClient().pluginAction(createTarget(url), request)).toEqual({
        kind: 'refused',
        httpStatus,
        code,
        error: ERROR_CODES[code].message,
      });
    });
  }

  it('returns a 500 of the site with its reason as plain text', async () => {
    const { url } = await startAgentSite();
    const request = { action: 'update', plugin: 'broken/broken.php' } as const;
    expect(await siteClient().pluginAction(createTarget(url), request)).toEqual({
      kind: 'refused',
      httpStatus: 500,
      code: 'action_failed',
      error: 'No room.',
    });
  });

  it('describes a rejected key in a message of the panel', async () => {
    const site = await startAgentSite();
    await site.options.write({ service_license_key: 'another' });
    expect(await siteClient().pluginAction(createTarget(site.url), ACTIVATE)).toEqual({
      kind: 'refused',
      httpStatus: 401,
      code: 'site_rejected_key',
      error: expect.stringMatching(/has another key .* connect it to this panel again\.$/),
    });
  });

  describe('a rejected signature', () => {
    const errorWith = async (date: Date | null) => {
      const { url } = await startHttpSite((_request, response) => {
        response.sendDate = false;
        response.statusCode = 401;
        if (date) response.setHeader('date', date.toUTCString());
        response.end(JSON.stringify({ success: false, code: 'invalid_signature', error: 'No.' }));
      });
      const outcome = await siteClient().sync(createTarget(url));
      expect(outcome).toMatchObject({ kind: 'refused', code: 'site_rejected_signature' });
      return outcome.kind === 'answered' ? '' : outcome.error;
    };
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

    it('blames the clock only if the clocks differ', async () => {
      expect(await errorWith(inMinutes(20))).toContain(
        '20 minutes ahead of the clock of the panel',
      );
      expect(await errorWith(inMinutes(-90))).toContain('90 minutes behind the clock of the panel');
      expect(await errorWith(inMinutes(0))).toContain('The clocks agree, so the address');
      expect(await errorWith(null)).toContain('and the clocks of the panel and the site');
    });
  });

  describe('a changed address', () => {
    it.each([
      ['https://new.example.com/shop', 'answers as https://new.example.com/shop now'],
      ['<script>', 'has another address now'],
      [undefined, 'has another address now'],
    ])('names both addresses: %s', async (site_url, expected) => {
      const body = { success: false, code: 'site_address_changed', error: 'Moved.', site_url };
      const { url } = await startHttpSite(respondWith(409, JSON.stringify(body)));
      const error = expect.stringContaining(`The site was connected as ${url} and ${expected}.`);
      expect(await siteClient().sync(createTarget(url))).toMatchObject({
        kind: 'refused',
        code: 'site_address_changed',
        error,
      });
    });
  });
});

describe('sync', () => {
  it('returns the response', async () => {
    const { url } = await startAgentSite();
    const outcome = await siteClient().sync(createTarget(url));
    expect(outcome).toEqual({ kind: 'answered', httpStatus: 200, body: { success: true } });
  });

  it('returns site_busy while another update runs', async () => {
    const body = { success: false, code: 'site_busy', error: 'Another update is running.' };
    const { url } = await startHttpSite(respondWith(409, JSON.stringify(body)));
    expect(await siteClient().sync(createTarget(url))).toMatchObject({
      kind: 'refused',
      httpStatus: 409,
      code: 'site_busy',
    });
  });
});

describe('the request', () => {
  async function receivedBySite(call: (siteUrl: string) => Promise<unknown>) {
    const received: { request: IncomingMessage; body: string }[] = [];
    const site = await startHttpSite(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      received.push({ request, body });
      response.end(SUCCESS);
    });
    await call(site.url);
    const [first] = received;
    if (!first || received.length !== 1) throw new Error(`${received.length} requests.`);
    return { ...first, site };
  }

  it('is a POST with JSON and sends the key only in its header', async () => {
    const { request, body, site } = await receivedBySite((siteUrl) =>
      siteClient().pluginAction(createTarget(siteUrl), ACTIVATE),
    );
    const { version } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
    );
    expect(request.method).toBe('POST');
    expect(request.url).toBe('/cms-json/service/v1/remote/plugin-action');
    expect(JSON.parse(body)).toEqual(ACTIVATE);
    expect(request.headers).toEqual({
      'x-service-key': SERVICE_KEY,
      'x-service-timestamp': expect.stringMatching(/^\d{10}$/),
      'x-service-nonce': expect.stringMatching(/^[0-9a-f]{32}$/),
      'x-service-signature': '',
      host: `127.0.0.1:${site.port}`,
      connection: 'keep-alive',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'content-length': String(body.length),
      'user-agent': `Steward/${version}`,
    });
  });

  for (const [what, siteUrl, endpointUrl, path] of [
    ['below the site URL', 'ORIGIN/shop/', null, '/shop/cms-json/service/v1/'],
    ['to its endpoint', 'ORIGIN', 'ORIGIN/wp-json/service/v1/', '/wp-json/service/v1/'],
    ['to an endpoint without a trailing slash', 'ORIGIN', 'ORIGIN/api', '/api/'],
    [
      'to the query of plain permalinks',
      'ORIGIN/shop',
      'ORIGIN/?rest_route=/service/v1/',
      '/?rest_route=/service/v1/',
    ],
  ] as const) {
    it(`goes ${what}`, async () => {
      const { request } = await receivedBySite((origin) => {
        const target = createTarget(
          siteUrl.replace('ORIGIN', origin),
          endpointUrl?.replace('ORIGIN', origin) ?? null,
        );
        return siteClient().sync(target);
      });
      expect(request.url).toBe(`${path}remote/sync`);
    });
  }

  it('uses a new connection for each call', async () => {
    const site = await startHttpSite(respondWith(200, SUCCESS, { connection: 'keep-alive' }));
    const client = siteClient();
    for (let call = 1; call <= 3; call++) {
      expect(await client.sync(createTarget(site.url))).toMatchObject({ kind: 'answered' });
      expect(site.connections()).toBe(call);
    }
  });
});
