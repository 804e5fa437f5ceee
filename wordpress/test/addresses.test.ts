import { SERVICE_KEY_HEADER } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

const AT_CMS_JSON = '/cms-json/service/v1/remote/sync';
const AT_WP_JSON = '/wp-json/service/v1/remote/sync';
const AS_QUERY = '/?rest_route=/service/v1/remote/sync';

type Wordpress = ReturnType<typeof useLicensedSite>;

const sync = (wordpress: Wordpress, path: string, key = wordpress.site.key) =>
  fetch(wordpress.site.url + path, { method: 'POST', headers: { [SERVICE_KEY_HEADER]: key } });

function describeAddresses(wordpress: Wordpress, paths: string[]) {
  for (const path of paths) {
    it(`responds at ${path}`, async () => {
      const response = await sync(wordpress, path);
      expect([response.status, await response.json()]).toEqual([200, { success: true }]);
      expect((await sync(wordpress, path, 'wrong')).status).toBe(401);
      await expectQuiet(wordpress.site);
    });
  }
}

describe('with pretty permalinks', () => {
  const wordpress = useLicensedSite();
  describeAddresses(wordpress, [AT_CMS_JSON, AT_WP_JSON, AS_QUERY, `/index.php${AT_CMS_JSON}`]);

  it('matches routes case-insensitively, as WordPress does', async () => {
    const response = await sync(wordpress, '/wp-json/Service/v1/Remote/Sync', 'wrong');
    expect(await response.json()).toMatchObject({ success: false, code: 'invalid_service_key' });
  });

  it('leaves other paths below cms-json to WordPress', async () => {
    for (const path of [
      '/cms-json/',
      '/cms-json/wp/v2/users',
      '/x/cms-json/service/v1/remote/sync',
    ]) {
      expect((await sync(wordpress, path)).status).toBe(404);
    }
  });

  describe('and a plugin that closes the REST API to visitors', () => {
    const CLOSED = `new WP_Error( 'rest_closed', 'Visitors stay out.', array( 'status' => 401 ) )`;
    for (const [hook, code] of [
      ['rest_authentication_errors', `return ${CLOSED};`],
      ['rest_pre_dispatch', `return ${CLOSED};`],
    ] as const) {
      it(`accepts only calls of the panel when the plugin uses ${hook}`, async () => {
        await wordpress.mustUse(`add_filter( '${hook}', function () { ${code} }, 99 );`);
        expect((await sync(wordpress, AT_CMS_JSON)).status).toBe(200);
        const refused = await sync(wordpress, AT_CMS_JSON, 'wrong');
        expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
          401,
          'invalid_service_key',
        ]);
        for (const path of ['/wp-json/wp/v2/posts', '/wp-json/', '/wp-json/service/v1']) {
          const response = await fetch(wordpress.site.url + path, {
            headers: { [SERVICE_KEY_HEADER]: wordpress.site.key },
          });
          expect([path, response.status]).toEqual([path, 401]);
        }
      });
    }
  });

  it('reports a working endpoint URL at each check-in', async () => {
    await wordpress.site.runPhp('Steward\\Panel\\Check_In::run();');
    expect((await wordpress.panel.siteRow(wordpress.site.siteId)).endpoint_url).toBe(
      `${wordpress.site.url}/cms-json/service/v1/`,
    );
  });
});

describe('with plain permalinks', () => {
  const wordpress = useLicensedSite({ permalinks: 'plain' });
  describeAddresses(wordpress, [AT_CMS_JSON, AT_WP_JSON, AS_QUERY]);

  it('reports a ?rest_route= URL when the server returns the home page for all other paths', async () => {
    await wordpress.mustUse(
      `add_filter( 'pre_http_request', function ( $response, $request, $url ) {
        return strpos( $url, '-json/' ) ? array( 'response' => array( 'code' => 200, 'message' => 'OK' ), 'body' => '<html>', 'headers' => array(), 'cookies' => array() ) : $response;
      }, 20, 3 );`,
    );
    await wordpress.site.runPhp('Steward\\Panel\\Check_In::run();');
    expect((await wordpress.panel.siteRow(wordpress.site.siteId)).endpoint_url).toBe(
      `${wordpress.site.url}/index.php?rest_route=/service/v1/`,
    );
  });
});

describe('in a subdirectory of the web root', () => {
  const wordpress = useLicensedSite({ path: '/shop' });
  describeAddresses(wordpress, [AT_CMS_JSON, AT_WP_JSON, AS_QUERY]);
});
