import { SERVICE_KEY_HEADER } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

/** The responses of the endpoints to callers without a key. */
const wordpress = useLicensedSite();

const SECRET = 'hunter2-of-the-database';
const DIE = `throw new Error( 'Access denied for wp@localhost, password ${SECRET}' );`;

async function post(path: string, { key = '', body = '' } = {}) {
  const response = await fetch(`${wordpress.site.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== '' && { [SERVICE_KEY_HEADER]: key }),
    },
    ...(body !== '' && { body }),
  });
  const text = await response.text();
  return { status: response.status, text };
}

const SYNC = '/wp-json/service/v1/remote/sync';
const PATHS = [SYNC, '/cms-json/service/v1/remote/sync', '/?rest_route=/service/v1/remote/update'];

describe('PHP error before the key is accepted', () => {
  for (const [where, body] of [
    ['while plugins are loaded', DIE],
    ['after all plugins are loaded', `add_action( 'plugins_loaded', function () { ${DIE} } );`],
    ['when the routes are registered', `add_action( 'rest_api_init', function () { ${DIE} } );`],
    ['in the key check', `add_filter( 'option_service_license_key', function () { ${DIE} } );`],
    ['before the route', `add_filter( 'rest_pre_dispatch', function () { ${DIE} } );`],
    ['after the refusal', `add_filter( 'rest_post_dispatch', function () { ${DIE} } );`],
    [
      'out of memory',
      `add_action( 'rest_api_init', function () { ini_set( 'memory_limit', '64M' ); $hoard = array( '${SECRET}' ); while ( true ) { $hoard[] = str_repeat( 'x', 1000 ) . count( $hoard ); } } );`,
    ],
  ] as const) {
    it(`reveals neither the error nor its location: ${where}`, async () => {
      await wordpress.mustUse(`ini_set( 'display_errors', '1' ); ini_set( 'html_errors', '0' );`);
      await wordpress.plugin('shop-of-secrets', { body });
      for (const path of PATHS) {
        const { status, text } = await post(path);
        expect([path, status]).toEqual([path, 500]);
        expect(JSON.parse(text)).toEqual({
          success: false,
          error:
            'The site is down: a PHP error ends every request. Check the error log of the site.',
          code: 'site_down',
        });
      }
      const wrong = await post(SYNC, { key: 'wrong' });
      expect(wrong.text).not.toMatch(/hunter2|shop-of-secrets|\.php/);
    });
  }

  it('names the plugin to a caller with a valid key', async () => {
    await wordpress.plugin('shop-of-secrets', { body: DIE });
    const { status, text } = await post(SYNC, { key: wordpress.site.key });
    expect([status, JSON.parse(text).code]).toEqual([500, 'site_down']);
    expect(text).toContain('the plugin shop-of-secrets');
    expect(text).not.toContain(SECRET);
  });
});

describe('POST batch/v1 with a Steward route', () => {
  const batch = (path: string, headers = {}, validation = 'normal') =>
    JSON.stringify({ validation, requests: [{ path, method: 'POST', headers, body: {} }] });

  for (const route of ['/service/v1/remote/sync', '/SERVICE/v1/remote/update']) {
    for (const validation of ['normal', 'require-all-validate']) {
      it(`is refused without a PHP error: ${route}, ${validation}`, async () => {
        for (const headers of [{}, { [SERVICE_KEY_HEADER]: wordpress.site.key }]) {
          const { status, text } = await post('/wp-json/batch/v1', {
            body: batch(route, headers, validation),
          });
          expect([status, text]).toEqual([207, expect.stringMatching(/^\{.*\}$/s)]);
          const [response] = JSON.parse(text).responses;
          expect(response.status).toBeGreaterThanOrEqual(400);
          expect(response.status).toBeLessThan(500);
          expect(text).not.toContain('inventory');
        }
        await expectQuiet(wordpress.site);
      });
    }
  }

  it('is refused even with the key when a plugin removed the Steward routes', async () => {
    await wordpress.plugin('closed', {
      body: `add_filter( 'rest_endpoints', function ( $routes ) {
        return array_filter( $routes, function ( $route ) { return false === strpos( $route, 'service' ); }, ARRAY_FILTER_USE_KEY );
      } );`,
    });
    const headers = { [SERVICE_KEY_HEADER]: wordpress.site.key };
    const body = batch('/service/v1/remote/sync', headers);
    const { text } = await post('/wp-json/batch/v1', { body });
    const [response] = JSON.parse(text).responses;
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});
