import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { registerSecret } from '@steward/testkit/logs.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { activateSteward, installSteward } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  type LicensingPanel,
  startPanelWithoutWorker,
} from '@steward/testkit/wordpress/licensed-site.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { ADMIN } from '@steward/testkit/wordpress/template.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { findSiteId } from './support/panel-calls.ts';

const CODE_FILE = 'wp-content/plugins/steward/enrolment.php';
const UNREACHABLE = 'http://127.0.0.1:1';
const SITE_KEY = /^STWS(-[0-9A-Z]{7}){4}$/;

let bed: Bed;
let panel: LicensingPanel;
let owner: Awaited<ReturnType<typeof signInAt>>;

beforeAll(async () => {
  [bed, panel] = await Promise.all([openBed(), startPanelWithoutWorker()]);
  owner = await signInAt(panel.url, await panel.newUser('owner'));
}, 180_000);
afterAll(async () => {
  await bed?.stop();
  await panel?.stop();
});

/** Creates a WordPress without Steward that counts its requests to `license/activate`. */
async function newSite({ siteKeys = true } = {}) {
  const site = await bed.createSite();
  onTestFinished(() => site.stop());
  await site.changeSettings({ siteKeys });
  const counter = join(site.folder, 'activations.txt');
  await writeFile(counter, '');
  await writeFile(
    join(site.root, 'wp-content/mu-plugins/a-counter.php'),
    `<?php add_filter( 'pre_http_request', function ( $response, $args, $url ) {
      if ( strpos( $url, 'license/activate' ) ) { file_put_contents( '${counter}', '.', FILE_APPEND ); }
      return $response;
    }, 10, 3 );`,
  );
  return Object.assign(site, {
    countActivations: async () => (await readFile(counter, 'utf8')).length,
  });
}

async function newCode(): Promise<string> {
  const [{ code }] = await panel.license('enrol', String(panel.licenseId));
  registerSecret(code);
  return code;
}

/** Copies the content of a zip from the panel into the site. */
async function unpackZip(site: WordPressSite): Promise<void> {
  const response = await fetch(`${panel.url}/panel/plugin.zip?license_id=${panel.licenseId}`, {
    headers: { cookie: owner.cookie },
  });
  expect(response.status).toBe(200);
  const zip = join(site.folder, 'steward.zip');
  await writeFile(zip, Buffer.from(await response.arrayBuffer()));
  await site.unpackPlugin(zip);
  expect(existsSync(join(site.root, CODE_FILE))).toBe(true);
}

/** Activates the license with the code as a site does. The code is then used. */
async function activateWithCode(code: string, site_url: string): Promise<void> {
  const { status } = await panel.post('/api/v1/license/activate', {
    ...{ license_key: code, site_url },
    ...{ cms_version: '6.1', php_version: '8.2', plugin_version: '0.1.0' },
    capabilities: ['site_key', 'signed_calls'],
  });
  expect(status).toBe(200);
}

const readKey = (site: WordPressSite) => site.getOption('service_license_key');
const readNextCheckIn = async (site: WordPressSite) =>
  Number(await site.runPhp(`echo (int) wp_next_scheduled( 'steward_check_in' ) - time();`));
const runCheckIn = (site: WordPressSite) => site.runPhp(`do_action( 'steward_check_in' );`);
const renderSettings = (site: WordPressSite) =>
  site.runPhp(`
    require_once ABSPATH . 'wp-admin/includes/template.php';
    wp_set_current_user( 1 );
    ( new Steward\\Admin\\Settings_Page() )->render();`);

async function expectConnected(site: WordPressSite): Promise<void> {
  expect(await readKey(site)).toMatch(SITE_KEY);
  const { inventory } = await panel.siteRow(await findSiteId(owner, site.url));
  expect(inventory?.plugins).toContainEqual(expect.objectContaining({ name: 'Steward' }));
  expect(await renderSettings(site)).toContain('Check now');
  await expectQuiet(site);
}

async function expectRefused(site: WordPressSite, reason: string): Promise<void> {
  expect(await readKey(site)).toBeUndefined();
  expect(await renderSettings(site)).toContain(
    `This site could not be connected with its enrolment code. ${reason} To try again,`,
  );
}

describe('a zip with an enrolment code', () => {
  it('connects the site on activation, without any click, and deletes the code', async () => {
    const site = await newSite();
    await unpackZip(site);
    await activateSteward(site);
    await expectConnected(site);
    expect(existsSync(join(site.root, CODE_FILE))).toBe(false);
    const { enrolment_codes } = await owner.ask<{ enrolment_codes: object[] }>(
      'GET',
      `/panel/licenses/${panel.licenseId}/enrolment-codes`,
    );
    expect(enrolment_codes[0]).toMatchObject({ status: 'used', site: { url: site.url } });
    expect(await site.countActivations()).toBe(1);
  });

  it('does not show the code to visitors', async () => {
    const site = await newSite();
    await unpackZip(site);
    const response = await fetch(`${site.url}/${CODE_FILE}`);
    expect(await response.text()).toBe('');
  });

  it('stays connected when its user enters the license key of the same license', async () => {
    const site = await newSite();
    await unpackZip(site);
    await activateSteward(site);
    const before = await readKey(site);
    const printed = await site.runPhp(`
      $result = Steward\\Panel\\License::connect( '${panel.url}', '${panel.licenseKey}' );
      $result = is_wp_error( $result ) ? $result : Steward\\Panel\\Check_In::run_after_connecting();
      echo is_wp_error( $result ) ? $result->get_error_message() : 'connected';`);
    expect(printed).toBe('connected');
    expect(await readKey(site)).not.toBe(before);
    await expectConnected(site);
  });
});

describe('constants in wp-config.php', () => {
  it('connect the site on activation, and win over the code in the zip', async () => {
    const site = await newSite();
    await unpackZip(site);
    await site.setConstants({
      STEWARD_PANEL_URL: UNREACHABLE,
      STEWARD_ENROLMENT_CODE: await newCode(),
    });
    await activateSteward(site);
    expect(await readKey(site)).toBeUndefined();
    await site.setConstants({
      STEWARD_PANEL_URL: panel.url,
      STEWARD_ENROLMENT_CODE: await newCode(),
    });
    await runCheckIn(site);
    await expectConnected(site);
    expect(await site.getOption('service_panel_url')).toBe(panel.url);
  });

  it('connect a site on which Steward is already active, at the next cron run', async () => {
    const site = await newSite();
    await installSteward(site);
    expect(await site.countActivations()).toBe(0);
    await site.setConstants({
      STEWARD_PANEL_URL: panel.url,
      STEWARD_ENROLMENT_CODE: await newCode(),
    });
    await fetch(site.url);
    expect(await readNextCheckIn(site)).toBeLessThanOrEqual(60);
    await runCheckIn(site);
    await expectConnected(site);
  });

  it('connect the site after a lost answer, with a proof of its address', async () => {
    const [site, code] = [await newSite(), await newCode()];
    await activateWithCode(code, site.url);
    await site.setConstants({ STEWARD_PANEL_URL: panel.url, STEWARD_ENROLMENT_CODE: code });
    await installSteward(site);
    await expectConnected(site);
  });

  it('do not connect the site again after a disconnect', async () => {
    const site = await newSite();
    await site.setConstants({
      STEWARD_PANEL_URL: panel.url,
      STEWARD_ENROLMENT_CODE: await newCode(),
    });
    await installSteward(site);
    await expectConnected(site);
    await site.runPhp('Steward\\Panel\\License::disconnect();');
    await fetch(site.url);
    expect(await readNextCheckIn(site)).toBeLessThan(0);
    await runCheckIn(site);
    expect([await readKey(site), await site.countActivations()]).toEqual([undefined, 1]);
  });
});

describe('the settings page', () => {
  it('accepts an enrolment code in the field of the license key', async () => {
    const site = await newSite();
    await installSteward(site);
    const signedIn = await fetch(`${site.url}/wp-login.php`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ log: ADMIN.user, pwd: ADMIN.password }),
    });
    const cookies = signedIn.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    const headers = { cookie: cookies.join('; ') };
    const settings = `${site.url}/wp-admin/options-general.php?page=steward`;
    const page = await (await fetch(settings, { headers })).text();
    const nonce = /value="steward_connect"><input type="hidden" name="_wpnonce" value="(\w+)"/;
    await fetch(`${site.url}/wp-admin/admin-post.php`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({
        action: 'steward_connect',
        _wpnonce: nonce.exec(page)?.[1] ?? '',
        panel_url: panel.url,
        license_key: (await newCode()).toLowerCase(),
      }),
    });
    await expectConnected(site);
  });
});

describe('a code that does not connect the site', () => {
  it('is tried once if it was used, and the settings page shows the reason', async () => {
    const code = await newCode();
    await activateWithCode(code, 'https://other.example.com');
    const site = await newSite();
    await site.setConstants({ STEWARD_PANEL_URL: panel.url, STEWARD_ENROLMENT_CODE: code });
    await installSteward(site);
    const reason = 'This enrolment code was already used. Create a new one in the panel.';
    await expectRefused(site, reason);
    for (let visit = 0; visit < 3; visit++) {
      await fetch(site.url);
      await fetch(`${site.url}/wp-cron.php`);
      await runCheckIn(site);
    }
    expect(await site.countActivations()).toBe(1);
    expect(await readNextCheckIn(site)).toBeLessThan(0);
    await expectRefused(site, reason);
  });

  it('is refused without a call if it contains a typing error', async () => {
    const site = await newSite();
    await site.setConstants({ STEWARD_PANEL_URL: panel.url, STEWARD_ENROLMENT_CODE: 'STWE-1' });
    await installSteward(site);
    await expectRefused(site, 'The enrolment code is not valid. Create a new one in the panel.');
    expect(await site.countActivations()).toBe(0);
  });

  it('is refused on a site that cannot have a site key, and stays unused', async () => {
    const site = await newSite({ siteKeys: false });
    await unpackZip(site);
    await activateSteward(site);
    await expectRefused(
      site,
      'An enrolment code connects only sites that support site keys. Enable the PHP extension sodium or update the plugin, or connect with the license key.',
    );
    await site.changeSettings({ siteKeys: true });
    await site.setActivePlugins([]);
    await activateSteward(site);
    await expectConnected(site);
  });

  it('is tried again at the check-in schedule while the panel is unreachable', async () => {
    const site = await newSite();
    const code = await newCode();
    await site.setConstants({ STEWARD_PANEL_URL: UNREACHABLE, STEWARD_ENROLMENT_CODE: code });
    await installSteward(site);
    expect(await renderSettings(site)).toMatch(
      /The panel could not be reached: .* Steward tries again automatically\./,
    );
    const seconds = await readNextCheckIn(site);
    expect([seconds > 14 * 60, seconds <= 30 * 60]).toEqual([true, true]);
    await fetch(site.url);
    expect(await site.countActivations()).toBe(1);
    await site.setConstants({ STEWARD_PANEL_URL: panel.url, STEWARD_ENROLMENT_CODE: code });
    await runCheckIn(site);
    await expectConnected(site);
  });
});
