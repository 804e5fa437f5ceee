import { join } from 'node:path';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { activateSteward, installSteward } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  type LicensingPanel,
  startLicensingPanel,
} from '@steward/testkit/wordpress/licensed-site.ts';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findSiteId, startRun, syncSite } from './support/panel-calls.ts';

/** The last build of the plugin that knew neither site keys nor signed calls. */
const BEFORE_SITE_KEYS = join(import.meta.dirname, 'releases/steward-before-site-keys.zip');

const SHOP = 'shop/shop.php';

let bed: Bed;
let panel: LicensingPanel;
let owner: PanelClient;
let site: WordPressSite;
beforeAll(async () => {
  [bed, panel] = await Promise.all([openBed(), startLicensingPanel()]);
  owner = await signInAt(panel.url, await panel.newUser('owner'));
  site = await bed.createSite();
  await site.unpackPlugin(BEFORE_SITE_KEYS);
  await activateSteward(site);
});
afterAll(async () => {
  await bed?.stop();
  await panel?.stop();
});

type SiteDetails = { id: number; key: string };

async function readSiteFromPanel(): Promise<SiteDetails> {
  const id = await findSiteId(owner, site.url);
  return (await owner.ask<{ site: SiteDetails }>('GET', `/panel/sites/${id}`)).site;
}

const checkIn = () =>
  site.runPhp(`
    $result = Steward\\Panel\\Check_In::run();
    echo is_wp_error( $result ) ? $result->get_error_message() : 'checked in';`);

it('an older plugin connects, checks in and is managed with the license key', async () => {
  const connected = await site.runPhp(`
    $result = Steward\\Panel\\License::connect( '${panel.url}', '${panel.licenseKey}' );
    echo is_wp_error( $result ) ? $result->get_error_message() : 'connected';`);
  expect(connected).toBe('connected');
  expect(await checkIn()).toBe('checked in');
  expect(await site.getOption('service_license_key')).toBe(panel.licenseKey);

  const { id, key } = await readSiteFromPanel();
  expect(key).toBe('license');
  expect((await syncSite(owner, id)).results).toMatchObject([{ status: 'succeeded' }]);

  await writePlugin(site, 'shop', '1.0');
  const action = { site_id: id, plugin: SHOP, action: 'activate' };
  expect(await startRun(owner, '/remote/plugin-action', action)).toMatchObject({ success: true });

  const offered = { version: '2.0', package: await bed.packages.plugin('shop', '2.0') };
  await site.offer({ plugins: { [SHOP]: offered } });
  await site.storeUpdateTransients();
  expect((await startRun(owner, '/remote/update', { site_ids: [id] })).results).toMatchObject([
    { status: 'succeeded' },
  ]);
  expect((await site.installedPlugins())[SHOP]).toBe('2.0');
});

it('after its update the plugin gets a site key at the next check-in', async () => {
  await installSteward(site);
  await site.changeSettings({ siteKeys: true });
  expect(await checkIn()).toBe('checked in');
  expect(await site.getOption('service_license_key')).toMatch(/^STWS-/);

  const { id, key } = await readSiteFromPanel();
  expect(key).toBe('site');
  expect((await syncSite(owner, id)).results).toMatchObject([{ status: 'succeeded' }]);
  const plain = await fetch(`${site.url}/wp-json/service/v1/remote/sync`, {
    method: 'POST',
    headers: { [SERVICE_KEY_HEADER]: panel.licenseKey },
  });
  expect(plain.status).toBe(401);
});

it('the next check-in of a site with the older plugin reports that its license is revoked', async () => {
  const old = await bed.createSite();
  await old.unpackPlugin(BEFORE_SITE_KEYS);
  await activateSteward(old);
  await old.runPhp(`Steward\\Panel\\License::connect( '${panel.url}', '${panel.licenseKey}' );`);
  await panel.license('revoke', String(panel.licenseId));
  const printed = await old.runPhp(`
    $result = Steward\\Panel\\Check_In::run();
    echo is_wp_error( $result ) ? $result->get_error_code() : 'checked in';`);
  expect(printed).toMatch(/revoked/);
});
