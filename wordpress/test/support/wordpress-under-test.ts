import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CORE,
  DIRECTORY_PLUGIN,
  PLUGINS,
  type Scenario,
  type SiteUnderTest,
  THEMES,
} from '@steward/conformance/site-under-test.ts';
import { openBed } from '@steward/testkit/wordpress/bed.ts';
import { UNCHANGED_STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  createLicensedSite,
  type LicensedSite,
  startPanelWithoutWorker,
} from '@steward/testkit/wordpress/licensed-site.ts';
import { type Packages, writePlugin, writeTheme } from '@steward/testkit/wordpress/packages.ts';
import type { Offers } from '@steward/testkit/wordpress/site-folder.ts';
import { expectQuiet } from './debug-log.ts';

const UNREACHABLE = 'http://127.0.0.1:1';

/** Starts a real WordPress with the Steward plugin for the conformance suite. */
export async function startWordPressUnderTest() {
  const [bed, panel] = await Promise.all([openBed(), startPanelWithoutWorker()]);
  const site = await createLicensedSite(bed, panel);
  const managementPluginVersion = (await site.installedPlugins())[PLUGINS.management.file] ?? '';
  let lastReportAt = 0;
  const readRow = () => panel.siteRow(site.siteId);

  return {
    url: site.url,
    key: panel.licenseKey,
    panelUrl: panel.url,
    managementPluginVersion,
    wordpress: site,
    async reset(scenario: Scenario & { panelCapabilities?: string[] }) {
      await writeItems(site);
      await site.setCoreVersion(CORE.version);
      await site.clearOpcache(UNCHANGED_STEWARD);
      await site.setActivePlugins(
        Object.values(PLUGINS).flatMap(({ active, file }) => (active ? [file] : [])),
      );
      await site.setOption('stylesheet', THEMES.plain.slug);
      await site.setOption('template', THEMES.plain.slug);
      await site.connect({
        licenseKey: scenario.withoutKey ? '' : panel.licenseKey,
        services: scenario.services ?? ['remote'],
        panelCapabilities: scenario.panelCapabilities ?? [],
        ...(scenario.panelUrl && { panelUrl: scenario.panelUrl }),
        ...(scenario.panelDown && { panelUrl: UNREACHABLE }),
      });
      await site.setOption('steward_panel_key', scenario.panelKey ?? '');
      await site.changeSettings({
        fileChangesDisabled: scenario.fileChangesDisabled ?? false,
        updateMs: scenario.updateMs ?? 0,
        directory: await createDirectory(bed.packages),
      });
      await site.offer(await createOffers(bed.packages, scenario));
      await site.storeUpdateTransients();
      lastReportAt = (await site.lastReport()).at;
    },
    async readState() {
      return {
        plugins: await site.installedPlugins(),
        themes: await site.installedThemes(),
        core: await site.coreVersion(),
        active: await site.activePlugins(),
      };
    },
    isUpdating: async () => (await site.getOption('steward.lock')) !== undefined,
    async readReports() {
      const { inventory, at } = await site.lastReport();
      return inventory && at > lastReportAt ? [inventory] : [];
    },
    async readPreflight() {
      const { preflight, preflight_at } = await readRow();
      return preflight_at && preflight_at.getTime() > lastReportAt ? preflight : null;
    },
    async stop() {
      await expectQuiet(site);
      await bed.stop();
      await panel.stop();
    },
  } satisfies SiteUnderTest & { stop(): Promise<void>; wordpress: LicensedSite };
}

async function writeItems(site: LicensedSite): Promise<void> {
  const plugins = join(site.root, 'wp-content/plugins');
  for (const name of await readdir(plugins)) {
    if (name !== 'steward') await rm(join(plugins, name), { recursive: true });
  }
  await rm(join(site.root, 'wp-content/themes'), { recursive: true, force: true });
  const content = join(site.root, 'wp-content');
  for (const name of (await readdir(content)).filter((each) => each.startsWith('steward-saved-'))) {
    await rm(join(content, name), { recursive: true });
  }
  for (const [name, plugin] of Object.entries(PLUGINS)) {
    if (plugin.file === PLUGINS.management.file) continue;
    const requires = 'requires' in plugin ? plugin.requires : '';
    await writePlugin(site, name, plugin.version, { file: plugin.file, requires });
  }
  for (const { slug, version } of Object.values(THEMES)) await writeTheme(site, slug, version);
}

async function createDirectory(packages: Packages) {
  const { slug, version } = DIRECTORY_PLUGIN;
  const download_link = await packages.plugin(slug, version);
  return { plugins: { [slug]: { name: slug, version, download_link } }, themes: {} };
}

async function createOffers(packages: Packages, scenario: Scenario) {
  const { updates, coreUpdate, requiresCore, packageVersion } = scenario;
  const offers: Offers = { plugins: {}, themes: {}, core: null };
  for (const [name, plugin] of Object.entries(PLUGINS)) {
    const corrupt = name === 'corrupt';
    const isExcluded = updates === 'none' || (corrupt && updates !== 'one_corrupt');
    if (!('newVersion' in plugin) || isExcluded) continue;
    const packaged = (name === 'good' && packageVersion) || plugin.newVersion;
    const packageUrl = await packages.plugin(name, packaged, { corrupt });
    offers.plugins[plugin.file] = {
      version: plugin.newVersion,
      package: packageUrl,
      ...(name === 'good' && requiresCore && { requirements: { requires: requiresCore } }),
    };
  }
  const { slug, newVersion } = THEMES.plain;
  if (updates !== 'none') {
    offers.themes[slug] = { version: newVersion, package: await packages.theme(slug, newVersion) };
  }
  if (coreUpdate) {
    const packageUrl = await packages.corePackage(CORE.newVersion);
    offers.core = { version: CORE.newVersion, package: packageUrl };
  }
  return offers;
}
