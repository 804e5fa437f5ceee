import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { ADMIN } from '@steward/testkit/wordpress/template.ts';
import { describe, expect, it } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import {
  press,
  readMessage,
  readValue,
  SETTINGS,
  takeScreenshot,
  useSettingsPage,
} from './support/use-settings-page.ts';

const settings = useSettingsPage();
const { newSite, signIn, connect } = settings;

/** Reads the activation of the site from the panel. */
async function readActivation(site: WordPressSite) {
  const { activations } = await settings.panel.license('show', String(settings.panel.licenseId));
  return activations.find(
    ({ site_url }: { site_url: string }) => site_url.replace(/\/$/, '') === site.url,
  );
}

/** Opens the dashboard of the site from its page in the panel. The panel and the site are different sites for the browser. */
async function logInFromPanel(site: WordPressSite) {
  const panelUrl = settings.panel.url.replace('127.0.0.1', 'localhost');
  const person = await settings.panel.newUser('owner', 'Mona');
  const { cookie } = await signInAt(panelUrl, person);
  const { page, context } = await settings.newPage();
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([{ name, value, url: panelUrl }]);
  const sent: string[] = [];
  context.on('request', (request) => {
    sent.push(`${request.url()} ${request.headers().referer ?? ''}`);
  });
  const { site_id: siteId } = await readActivation(site);
  await page.goto(`${panelUrl}/sites/${siteId}`);
  await page.getByRole('button', { name: 'Log in to WordPress' }).click();
  // The user has signed in just now, which does not count.
  const question = page.getByRole('dialog', { name: 'Confirm your identity' });
  await question.getByLabel('Your password').fill(person.password);
  await page.keyboard.press('Enter');
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('button', { name: 'Log in as admin' }).click(),
  ]);
  await tab.waitForURL(`${site.url}/wp-admin/`);
  expect(await tab.getByRole('heading', { name: 'Dashboard' }).count()).toBeGreaterThan(0);
  expect(await tab.evaluate('window.opener')).toBeNull();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const toSite = sent.filter((each) => each.startsWith(site.url));
  expect(toSite[0]).toBe(`${site.url}/wp-admin/admin-post.php?action=steward_login `);
  expect(sent.filter((each) => /[0-9a-f]{64}/.test(each))).toEqual([]);
}

describe('Settings → Steward', () => {
  it('connects, shows the license, disables and enables Remote, and disconnects', async () => {
    const site = await newSite();
    const page = await signIn(site);
    await page.goto(`${site.url}/wp-admin/`);
    expect(await page.locator('#steward-license-notice').innerText()).toContain('not connected');
    await takeScreenshot(page, 'notice');
    await page.goto(site.url + SETTINGS);
    await takeScreenshot(page, 'not-connected');
    await connect(page, site, settings.panel.licenseKey.toLowerCase(), `${settings.panel.url}/`);
    expect(await readMessage(page)).toBe('This site is connected.');
    await takeScreenshot(page, 'connected');
    expect(await readValue(page, 'status')).toBe('Valid');
    expect(await readValue(page, 'plan')).toBe('Agency');
    expect(await readValue(page, 'sites')).toMatch(/^\d+ of 50 used \(local and staging/);
    expect(await readValue(page, 'expires')).toBe('Never');
    expect(await readValue(page, 'services')).toBe('remote');
    expect(await readValue(page, 'last-check')).toMatch(/ago$/);
    expect(await readValue(page, 'key')).not.toContain(settings.panel.licenseKey.slice(0, 12));
    expect(await page.content()).not.toContain(settings.panel.licenseKey);

    const activation = await readActivation(site);
    expect(activation).toMatchObject({ status: 'active', last_check_at: expect.any(String) });
    const { inventory, endpoint_url } = await settings.panel.siteRow(activation.site_id);
    expect(inventory?.plugins).toContainEqual(
      expect.objectContaining({ plugin: 'steward/steward.php', active: true }),
    );
    expect(endpoint_url).toBe(`${site.url}/cms-json/service/v1/`);

    await press(page, 'Turn off remote management');
    expect(await readMessage(page)).toBe('Remote management is off.');
    const sync = () =>
      fetch(`${endpoint_url}remote/sync`, {
        method: 'POST',
        headers: { 'X-Service-Key': settings.panel.licenseKey },
      });
    expect((await sync()).status).toBe(403);
    await press(page, 'Check now');
    expect(await readMessage(page)).toContain('valid');
    // The check-in does not override the site administrator's choice to disable Remote.
    expect((await sync()).status).toBe(403);
    await press(page, 'Turn on remote management');
    expect((await sync()).status).toBe(200);

    await press(page, 'Disconnect');
    expect(await readMessage(page)).toContain('Its license seat is free');
    expect((await readActivation(site)).status).toBe('deactivated');
    expect(await site.getOption('service_license_key')).toBeUndefined();
    await expectQuiet(site);
  });

  it('warns about http, and enables and disables unsigned calls on a site with a site key', async () => {
    const site = await newSite();
    await site.changeSettings({ siteKeys: true });
    const page = await signIn(site);
    await connect(page, site, settings.panel.licenseKey);
    expect(await page.locator('#steward-http').innerText()).toContain('https');
    expect(await page.locator('#steward-unsigned').count()).toBe(0);
    await page.getByText('Calls from other programs').click();
    await takeScreenshot(page, 'unsigned-calls');
    await press(page, 'Accept unsigned calls');
    expect(await readMessage(page)).toBe('This site now accepts unsigned calls.');
    expect(await page.locator('#steward-unsigned').innerText()).toContain(
      'anyone with the site key',
    );
    await takeScreenshot(page, 'unsigned-calls-accepted');
    await press(page, 'Refuse unsigned calls');
    expect(await readMessage(page)).toBe('This site now refuses unsigned calls.');

    expect(await readValue(page, 'login-state')).toMatch(/^Off\./);
    await press(page, 'Turn on log-in as these users');
    expect(await readMessage(page)).toContain('Choose at least one user');
    await page.getByLabel(`(${ADMIN.user}) – Administrator`).check();
    await press(page, 'Turn on log-in as these users');
    expect(await readMessage(page)).toContain('can now log in as the chosen users');
    expect(await readValue(page, 'login-state')).toMatch(/^On\./);
    await takeScreenshot(page, 'log-in');
    await logInFromPanel(site);
    await page.reload();
    expect(await readValue(page, 'log-ins')).toMatch(/: Mona logged in as admin\.$/);
    await press(page, 'Turn off log-in from the panel');
    expect(await readValue(page, 'login-state')).toMatch(/^Off\./);
    await expectQuiet(site);
  });

  it('shows no expiry date before the first check', async () => {
    const site = await newSite();
    const page = await signIn(site);
    await connect(page, site, settings.panel.licenseKey);
    const state =
      "Steward\\Connection::update_state( [ 'license' => null, 'is_valid' => false ] );";
    await site.runPhp(state);
    await page.goto(site.url + SETTINGS);
    expect(await readValue(page, 'status')).toBe('Not checked yet');
    expect(await readValue(page, 'expires')).toBe('–');
  });

  it('asks only for the key when the plugin was downloaded from the panel', async () => {
    const site = await settings.bed.createSite();
    const owner = await signInAt(settings.panel.url, await settings.panel.newUser());
    const download = await owner.ask<Buffer>('GET', '/panel/plugin.zip');
    const zip = join(site.folder, 'steward.zip');
    await writeFile(zip, download);

    const page = await signIn(site);
    await page.goto(`${site.url}/wp-admin/plugin-install.php?tab=upload`);
    await page.setInputFiles('#pluginzip', zip);
    await page.click('#install-plugin-submit');
    await page.getByRole('link', { name: 'Activate Plugin' }).click();
    await page.waitForURL(/plugins\.php/);
    await page.goto(site.url + SETTINGS);
    const { port } = new URL(settings.panel.url);
    expect(await page.getByLabel('Panel address').inputValue()).toBe(`http://localhost:${port}`);
    expect(await page.locator('.wrap > p').first().innerText()).toContain('Paste the license key');
    await takeScreenshot(page, 'downloaded-from-the-panel');
    await page.getByLabel('License key').fill(settings.panel.licenseKey);
    await press(page, 'Connect');
    expect(await readMessage(page)).toBe('This site is connected.');
    expect(await readActivation(site)).toMatchObject({ status: 'active' });

    // A panel that the user entered later overrides the panel in the downloaded plugin.
    await site.setOption('service_panel_url', 'https://other.example.com');
    await page.goto(site.url + SETTINGS);
    await page.getByText('Use another panel').click();
    expect(await page.getByLabel('Panel address').inputValue()).toBe('https://other.example.com');
    await expectQuiet(site);
  });

  it('shows the error and keeps the panel address', async () => {
    const site = await newSite();
    const page = await signIn(site);
    const typo = `${settings.panel.licenseKey.slice(0, -1)}${settings.panel.licenseKey.endsWith('0') ? '1' : '0'}`;
    await connect(page, site, typo);
    expect(await readMessage(page)).toContain('typing error');
    expect(await page.getByLabel('Panel address').inputValue()).toBe(settings.panel.url);
    await takeScreenshot(page, 'typing-error');

    await connect(page, site, settings.panel.licenseKey, 'http://127.0.0.1:1');
    expect(await readMessage(page)).toContain('could not be reached');
    await connect(page, site, settings.panel.licenseKey, `${site.url}/`);
    expect(await readMessage(page)).toContain('not from a Steward panel');
    await connect(page, site, settings.panel.licenseKey, 'ftp://panel.example.com');
    expect(await readMessage(page)).toContain('not valid');

    const { id, license_key } = await settings.panel.license('create', '--plan', 'Agency');
    await settings.panel.license('suspend', String(id));
    await connect(page, site, license_key);
    expect(await readMessage(page)).toContain('suspended');
    expect(await site.getOption('service_license_key')).toBeUndefined();
    await expectQuiet(site);
  });

  it('shows a notice on every admin page when the license is not valid', async () => {
    const site = await newSite();
    const page = await signIn(site);
    const { id, license_key } = await settings.panel.license('create', '--plan', 'Agency');
    await connect(page, site, license_key);
    await page.goto(`${site.url}/wp-admin/`);
    expect(await page.locator('#steward-license-notice').count()).toBe(0);
    await settings.panel.license('suspend', String(id));
    await page.goto(site.url + SETTINGS);
    await press(page, 'Check now');
    expect(await readMessage(page)).toContain('suspended');
    await page.goto(`${site.url}/wp-admin/`);
    expect(await page.locator('#steward-license-notice').innerText()).toContain('suspended');
  });

  it('stays connected when the same key is entered with the new address of the panel', async () => {
    const site = await newSite();
    const page = await signIn(site);
    await connect(page, site);
    const moved = settings.panel.url.replace('127.0.0.1', 'localhost');
    await page.getByText('Use another panel').click();
    await page.getByLabel('Panel address').fill(moved);
    await page.getByLabel('License key').fill(settings.panel.licenseKey);
    await press(page, 'Connect again');
    expect(await readMessage(page)).toBe('This site is connected.');
    expect(await site.getOption('service_panel_url')).toBe(moved);
    expect((await readActivation(site)).status).toBe('active');
  });

  it('frees the seat of the previous license when another key is entered', async () => {
    const site = await newSite();
    const page = await signIn(site);
    await connect(page, site);
    const other = await settings.panel.license('create', '--plan', 'Agency');
    await page.getByText('Use another panel').click();
    await page.getByLabel('License key').fill(other.license_key);
    await press(page, 'Connect again');
    expect(await readMessage(page)).toBe('This site is connected.');
    expect((await readActivation(site)).status).toBe('deactivated');
    const { activations } = await settings.panel.license('show', String(other.id));
    expect(activations).toEqual([expect.objectContaining({ status: 'active' })]);
  });

  it('offers to forget an unreachable panel', async () => {
    const site = await newSite();
    const page = await signIn(site);
    await connect(page, site);
    await site.setOption('service_panel_url', 'http://127.0.0.1:1');
    await page.goto(site.url + SETTINGS);
    expect(await page.getByRole('button', { name: /Forget/ }).count()).toBe(0);
    await press(page, 'Disconnect');
    expect(await readMessage(page)).toContain('The license seat is still in use');
    await takeScreenshot(page, 'panel-gone');
    await press(page, 'Forget the connection');
    expect(await readMessage(page)).toContain('Disconnect the site in the panel');
    expect(await site.getOption('service_license_key')).toBeUndefined();
  });

  it('asks a copy at another address to connect separately', async () => {
    const site = await newSite();
    const page = await signIn(site);
    await connect(page, site);
    const state = (await site.getOption('steward_state')) as Record<string, string>;
    await site.setOption('steward_state', { ...state, site_url: 'https://shop.example.com' });
    await page.goto(site.url + SETTINGS);
    expect(await page.locator('#steward-moved').innerText()).toContain('https://shop.example.com');
  });

  it('refuses users without the right to manage the site and requests without a nonce', async () => {
    const site = await newSite();
    const editor = { user: 'editor', password: 'editor-password', email: 'e@example.org' };
    await site.runPhp(
      `wp_insert_user( array( 'user_login' => 'editor', 'user_pass' => 'editor-password', 'role' => 'editor', 'user_email' => 'e@example.org' ) );`,
    );
    const page = await signIn(site, editor);
    expect((await page.goto(site.url + SETTINGS))?.status()).toBe(403);
    expect(
      await page
        .goto(`${site.url}/wp-admin/`)
        .then(() => page.locator('#steward-license-notice').count()),
    ).toBe(0);
    const admin = await signIn(site);
    for (const [visitor, form] of [
      [page, 'forget'],
      [admin, 'forget'],
      [admin, 'connect'],
      [page, 'remote_off'],
    ] as const) {
      await site.setOption('service_license_key', 'kept');
      const response = await visitor.request.post(`${site.url}/wp-admin/admin-post.php`, {
        form: {
          action: `steward_${form}`,
          panel_url: settings.panel.url,
          license_key: settings.panel.licenseKey,
        },
      });
      expect(response.status()).toBe(403);
      expect(await site.getOption('service_license_key')).toBe('kept');
    }
  });

  it('frees the seat and removes all data when the plugin is deleted', async () => {
    const site = await newSite();
    const page = await signIn(site);
    await connect(page, site);
    expect((await readActivation(site)).status).toBe('active');
    await page.goto(`${site.url}/wp-admin/plugins.php`);
    await page.click('#deactivate-steward');
    // WordPress removes its query parameters from the URL, so wait for the page content.
    await page.locator('#activate-steward').waitFor();
    await page.waitForLoadState('load');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.click('#delete-steward');
    await page.locator('tr.plugin-deleted-tr').waitFor();
    expect((await readActivation(site)).status).toBe('deactivated');
    const left = await site.query(
      "SELECT option_name FROM wp_options WHERE option_name LIKE '%steward%' OR option_name LIKE 'service\\_%'",
    );
    expect(left).toEqual([]);
    const files = await site.runPhp(
      "echo implode( ',', array_filter( array( WP_CONTENT_DIR . '/steward', WPMU_PLUGIN_DIR . '/steward-watchdog.php' ), 'file_exists' ) ) . implode( ',', glob( WP_CONTENT_DIR . '/steward*' ) );",
    );
    expect(files).toBe('');
    await expectQuiet(site);
  });
});
