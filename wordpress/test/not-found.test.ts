import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { STEWARD, UNCHANGED_STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startRun } from './support/panel-calls.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

const wordpress = useLicensedSite({ hasWorker: true });
let owner: PanelClient;
beforeAll(async () => {
  owner = await signInAt(wordpress.panel.url, await wordpress.panel.newUser());
});

/** Calls the site for a sync and for an update, and returns both results. */
async function callByPanel() {
  const request = { site_ids: [wordpress.site.siteId] };
  const [sync] = (await startRun(owner, '/panel/sites/sync', request)).results;
  const [update] = (await startRun(owner, '/remote/update', request)).results;
  return [sync, update];
}

async function expectError(error: RegExp): Promise<void> {
  for (const result of await callByPanel()) {
    expect(result).toMatchObject({
      status: 'failed',
      code: 'site_endpoint_not_found',
      error: expect.stringMatching(error),
    });
  }
}

describe('a site whose REST API responds 404', () => {
  it('because the web server does not pass its addresses to WordPress', async () => {
    const server = 'location ~ ^/(cms-json|wp-json)/ { return 404; }';
    await wordpress.site.configureServer(server);
    onTestFinished(() => wordpress.site.configureServer(''));
    await expectError(/responds at \/\?rest_route=\/, .*Settings → Permalinks; nginx needs/);
  });

  it('because only one of its addresses is blocked', async () => {
    await wordpress.site.configureServer('location /cms-json/ { return 404; }');
    onTestFinished(() => wordpress.site.configureServer(''));
    await expectError(/responds at \/wp-json\/, but not at the called address: .*Check now/);
  });

  it('because the Steward plugin is not active', async () => {
    await wordpress.site.setActivePlugins([]);
    onTestFinished(() => wordpress.site.setActivePlugins([STEWARD]));
    await wordpress.site.clearOpcache(UNCHANGED_STEWARD);
    await expectError(/the Steward plugin is not active there\. Activate it under Plugins/);
  });

  it('because a security plugin hides it', async () => {
    await wordpress.plugin('hide-rest', {
      body: "add_action( 'init', function () { remove_action( 'parse_request', 'rest_api_loaded' ); } );",
    });
    await expectError(
      /a security plugin or the web server hides it\. Exempt \/service\/v1\/ there/,
    );
  });

  it('because another page has taken its place', async () => {
    const server = 'location = / { return 200 "<h1>Parked</h1>"; } location ~ json { return 404; }';
    await wordpress.site.configureServer(server);
    onTestFinished(() => wordpress.site.configureServer(''));
    await expectError(
      /another server has taken its place\. Check the address of the site and its DNS/,
    );
  });

  it('works again without a diagnosis', async () => {
    for (const result of await callByPanel()) expect(result).toMatchObject({ status: 'succeeded' });
  });
});
