import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPluginVersion } from '@steward/panel/wordpress-plugin';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  type LicensingPanel,
  startLicensingPanel,
} from '@steward/testkit/wordpress/licensed-site.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import {
  createOldSite,
  OLD_VERSION,
  openAdmin,
  removeCopies,
  selfUpdate,
} from './support/own-plugin.ts';
import { findSiteId, startRun, syncSite } from './support/panel-calls.ts';

const NEW_VERSION = readPluginVersion();

let bed: Bed;
let panel: LicensingPanel;
let owner: PanelClient;
beforeAll(async () => {
  [bed, panel] = await Promise.all([openBed(), startLicensingPanel()]);
  owner = await signInAt(panel.url, await panel.newUser('owner'));
}, 180_000);
afterAll(async () => {
  await bed?.stop();
  await panel?.stop();
  await removeCopies();
});

const installedVersion = async (site: WordPressSite) => (await site.installedPlugins())[STEWARD];
const page = async (site: WordPressSite) => (await fetch(site.url)).status;

async function expectNewVersion(site: WordPressSite) {
  expect(await installedVersion(site)).toBe(NEW_VERSION);
  expect(await site.activePlugins()).toContain(STEWARD);
  expect(await page(site)).toBe(200);
  expect(existsSync(join(site.root, '.maintenance'))).toBe(false);
  const siteId = await findSiteId(owner, site.url);
  expect((await syncSite(owner, siteId)).results).toMatchObject([{ status: 'succeeded' }]);
  type Details = { site: { plugin_version: string } };
  const details = await owner.ask<Details>('GET', `/panel/sites/${siteId}`);
  expect(details.site.plugin_version).toBe(NEW_VERSION);
  const suggested = await readFile(join(site.root, 'wp-content/plugins/steward/panel.php'), 'utf8');
  expect(suggested).toContain(`:${new URL(panel.url).port}'`);
}

describe('an old Steward plugin', () => {
  it('moves to the version of the panel through the update screen', async () => {
    const site = await createOldSite(bed, panel);
    onTestFinished(() => site.stop());
    const admin = await openAdmin(site);
    expect(await admin.checkForUpdates()).toContain(`new version of Steward available`);
    expect(await admin.get('plugin-install.php?tab=plugin-information&plugin=steward')).toContain(
      panel.url,
    );

    // Other updates never move the plugin, and do not count it as pending.
    const siteId = await findSiteId(owner, site.url);
    await syncSite(owner, siteId);
    const { inventory } = await panel.siteRow(siteId);
    const own = inventory?.plugins.find(({ plugin }) => plugin === STEWARD);
    expect(own).toMatchObject({ version: OLD_VERSION });
    expect(own).not.toHaveProperty('new_version');
    await startRun(owner, '/remote/update', { site_ids: [siteId] });
    expect(await installedVersion(site)).toBe(OLD_VERSION);

    expect(await admin.updateOnScreen()).toMatch(/Plugin updated successfully/);
    await expectNewVersion(site);
    await expectQuiet(site);
  });

  it('moves to the version of the panel in a run, and then has nothing to do', async () => {
    const site = await createOldSite(bed, panel);
    onTestFinished(() => site.stop());
    const siteId = await findSiteId(owner, site.url);
    const run = await startRun(owner, '/panel/sites/self-update', { site_ids: [siteId] });
    const moved = { slug: STEWARD, name: 'Steward', success: true };
    const versions = { old_version: OLD_VERSION, new_version: NEW_VERSION };
    expect(run.results).toMatchObject([
      {
        status: 'succeeded',
        notes: ['10 pages compared.'],
        details: { results: { plugins: [{ ...moved, ...versions }], themes: [], core: null } },
      },
    ]);
    expect(existsSync(join(site.root, 'wp-content/mu-plugins/steward-guard.php'))).toBe(false);
    await expectNewVersion(site);
    await expectQuiet(site);

    const again = await selfUpdate(site, panel.sign);
    expect(again.body).toMatchObject({
      success: true,
      results: { plugins: [{ success: true, old_version: NEW_VERSION, new_version: NEW_VERSION }] },
    });
  });

  it('moves with the background updates of WordPress', async () => {
    const site = await createOldSite(bed, panel);
    onTestFinished(() => site.stop());
    await site.setConstants({ AUTOMATIC_UPDATER_DISABLED: null });
    await site.setOption('auto_update_plugins', [STEWARD]);
    await site.runPhp(`
      require_once ABSPATH . 'wp-admin/includes/admin.php';
      define( 'DOING_CRON', true );
      wp_update_plugins();
      wp_maybe_auto_update();`);
    await site.clearOpcache();
    await expectNewVersion(site);
  });

  it('moves on a network, where updates are installed in the network admin', async () => {
    const site = await createOldSite(bed, panel, { multisite: true });
    onTestFinished(() => site.stop());
    const { body } = await selfUpdate(site, panel.sign);
    expect(body.results.plugins).toMatchObject([
      { success: true, old_version: OLD_VERSION, new_version: NEW_VERSION },
    ]);
    expect([await installedVersion(site), await page(site)]).toEqual([NEW_VERSION, 200]);
    expect(
      await site.runPhp(
        `echo isset( get_site_option( 'active_sitewide_plugins' )['${STEWARD}'] ) ? 'active' : 'inactive';`,
      ),
    ).toBe('active');
  });
});
