import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { installSteward } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  type LicensingPanel,
  startLicensingPanel,
} from '@steward/testkit/wordpress/licensed-site.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findSiteId, syncSite } from './support/panel-calls.ts';

let bed: Bed;
let panel: LicensingPanel;
let owner: PanelClient;
beforeAll(async () => {
  [bed, panel] = await Promise.all([openBed(), startLicensingPanel()]);
  owner = await signInAt(panel.url, await panel.newUser('owner'));
});
afterAll(async () => {
  await bed?.stop();
  await panel?.stop();
});

const syncFromPanel = async (url: string) => syncSite(owner, await findSiteId(owner, url));

async function newSite(mustUse = '') {
  const site = await bed.createSite();
  await installSteward(site);
  await site.changeSettings({ siteKeys: true });
  const code = `<?php ${mustUse}`;
  await writeFile(join(site.root, 'wp-content/mu-plugins/test-code.php'), code);
  const connect = () =>
    site.runPhp(`
      $result = Steward\\Panel\\License::connect( '${panel.url}', '${panel.licenseKey}' );
      $result = is_wp_error( $result ) ? $result : Steward\\Panel\\Check_In::run_after_connecting();
      echo is_wp_error( $result ) ? $result->get_error_message() : 'connected';`);
  const sync = async (headers: Record<string, string>) =>
    (await fetch(`${site.url}/wp-json/service/v1/remote/sync`, { method: 'POST', headers })).status;
  return { ...site, connect, sync };
}

it('a site follows the specification with a panel without protocol extensions', async () => {
  const site = await newSite(`
    add_filter( 'http_request_args', function ( $args, $url ) {
      if ( 0 === strpos( $url, '${panel.url}' ) ) {
        $body = array_diff_key( json_decode( $args['body'], true ), array( 'capabilities' => 1, 'accepts_unsigned_calls' => 1 ) );
        $args['body'] = wp_json_encode( $body );
      }
      return $args;
    }, 10, 2 );`);
  expect(await site.connect()).toBe('connected');
  expect(await site.getOption('service_license_key')).toBe(panel.licenseKey);
  expect(await site.runPhp('echo Steward\\Panel\\Check_In::run() === true ? 1 : 0;')).toBe('1');
  expect(await site.getOption('service_license_key')).toBe(panel.licenseKey);
  expect(await site.sync({ [SERVICE_KEY_HEADER]: panel.licenseKey })).toBe(200);
  expect(await site.sync({ [SERVICE_KEY_HEADER]: 'wrong' })).toBe(401);
  expect((await syncFromPanel(site.url)).results).toMatchObject([{ status: 'succeeded' }]);
});

it('a headless site is called at its WordPress host after an owner approves it', async () => {
  // The frontend shows the pages of the site and does not run WordPress.
  const front = createServer((_, response) => response.writeHead(404).end('<html></html>'));
  await once(front.listen(0, '127.0.0.1'), 'listening');
  const frontUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  try {
    const site = await newSite(
      `add_filter( 'option_home', function () { return '${frontUrl}'; }, 99 );`,
    );
    await site.connect();
    expect((await syncFromPanel(frontUrl)).results).toMatchObject([{ status: 'failed' }]);
    const id = await findSiteId(owner, frontUrl);
    const { site: before } = await owner.ask<{ site: { requested_endpoint_url: string } }>(
      'GET',
      `/panel/sites/${id}`,
    );
    expect(before.requested_endpoint_url).toContain(site.url);
    await owner.ask('POST', `/panel/sites/${id}/approve-endpoint`, {
      endpoint_url: before.requested_endpoint_url,
    });
    expect((await syncFromPanel(frontUrl)).results).toMatchObject([{ status: 'succeeded' }]);
  } finally {
    front.close();
  }
});
