import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BulkUpdateResponse, SERVICE_KEY_HEADER, type UpdateItem } from '@steward/contract';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import type { PluginOptions, ThemeOptions } from '@steward/testkit/wordpress/fixtures.ts';
import { STEWARD, UNCHANGED_STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  createLicensedSite,
  type LicensedSite,
  type LicensingPanel,
  startLicensingPanel,
  startPanelWithoutWorker,
} from '@steward/testkit/wordpress/licensed-site.ts';
import { writePlugin, writeTheme } from '@steward/testkit/wordpress/packages.ts';
import type { SiteOptions } from '@steward/testkit/wordpress/site.ts';
import type { Offer, Offers, TranslationOffer } from '@steward/testkit/wordpress/site-folder.ts';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';

export type SiteResponse = { status: number; body: Record<string, unknown> };

export type LicensedSiteOptions = SiteOptions & {
  /** Default: the panel has no worker, and so cannot call the site. */
  hasWorker?: boolean;
};

/** Starts one WordPress for all tests of a file. Each test starts with only the Steward plugin. */
export function useLicensedSite({ hasWorker = false, ...options }: LicensedSiteOptions = {}) {
  const holder = {} as { bed: Bed; panel: LicensingPanel; site: LicensedSite };
  const offers: Offers = { plugins: {}, themes: {}, core: null };

  beforeAll(async () => {
    [holder.bed, holder.panel] = await Promise.all([
      openBed(),
      hasWorker ? startLicensingPanel() : startPanelWithoutWorker(),
    ]);
    holder.site = await createLicensedSite(holder.bed, holder.panel, options);
    await holder.site.connect();
  });
  afterAll(async () => {
    await holder.bed.stop();
    await holder.panel.stop();
  });
  const reset = async () => {
    Object.assign(offers, { plugins: {}, themes: {}, core: null, translations: [] });
    await emptySite(holder.site);
    await holder.site.offer(offers);
  };
  beforeEach(reset);

  const call = async (path: string, body?: unknown): Promise<SiteResponse> => {
    const response = await fetch(`${holder.site.url}/wp-json/service/v1/remote/${path}`, {
      method: 'POST',
      headers: { [SERVICE_KEY_HEADER]: holder.site.key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // The response contains only JSON, even when plugins print output.
    expect(text).toMatch(/^\{.*\}$/s);
    return { status: response.status, body: JSON.parse(text) };
  };

  return Object.assign(holder, {
    call,
    /** Removes everything that a test added to the site. */
    reset,
    act: (action: string, plugin: string) => call('plugin-action', { action, plugin }),
    async update(items?: UpdateItem[]) {
      const { status, body } = await call('update', items && { items });
      expect(status).toBe(200);
      return body as unknown as BulkUpdateResponse;
    },

    /** Adds a plugin to the site and returns its file. */
    async plugin(
      name: string,
      { active = true, ...more }: PluginOptions & { active?: boolean } = {},
    ) {
      await writePlugin(holder.site, name, '1.0', more);
      await holder.site.chownFiles();
      const file = more.file ?? `${name}/${name}.php`;
      const others = (await holder.site.activePlugins()).filter((each) => each !== file);
      await holder.site.setActivePlugins(active ? [...others, file].toSorted() : others);
      await holder.site.clearOpcache(UNCHANGED_STEWARD);
      return file;
    },
    async theme(slug: string, more: ThemeOptions = {}) {
      await writeTheme(holder.site, slug, '1.0', more);
      await holder.site.chownFiles();
      await holder.site.setOption('stylesheet', slug);
      await holder.site.setOption('template', slug);
      await holder.site.clearOpcache(UNCHANGED_STEWARD);
    },
    /** Offers version 2.0 of a plugin. The options describe the package. */
    async offerPlugin(
      name: string,
      {
        version = '2.0',
        offeredAs,
        requirements,
        ...more
      }: PluginOptions & {
        /** The requirements that the offer states, in addition to the headers of the package. */
        requirements?: Offer['requirements'];
        corrupt?: boolean | 'garbled';
        /** The version in the package. */
        version?: string;
        /** The plugin file on the site, if it differs from the package. */
        offeredAs?: string;
      } = {},
    ) {
      const packageUrl = await holder.bed.packages.plugin(name, version, more);
      offers.plugins[offeredAs ?? `${name}/${name}.php`] = {
        version: '2.0',
        package: packageUrl,
        ...(requirements && { requirements }),
      };
      await offerAll();
    },
    async offerTheme(
      slug: string,
      { version = '2.0', ...more }: ThemeOptions & { version?: string } = {},
    ) {
      const packageUrl = await holder.bed.packages.theme(slug, version, more);
      offers.themes[slug] = { version: '2.0', package: packageUrl };
      await offerAll();
    },
    async offerCore(version: string) {
      offers.core = { version, package: await holder.bed.packages.corePackage(version) };
      await offerAll();
    },
    /** Offers language packs, which WordPress stores at the next update check. */
    async offerTranslations(translations: TranslationOffer[]) {
      offers.translations = translations;
      await offerAll();
      await call('sync');
    },
    /** Runs PHP in every request before all plugins, until the test ends. */
    async mustUse(code: string) {
      const file = join(holder.site.root, 'wp-content/mu-plugins/a-test.php');
      onTestFinished(async () => {
        await rm(file, { force: true });
        await holder.site.clearOpcache(UNCHANGED_STEWARD);
      });
      await writeFile(file, `<?php\n${code}\n`);
      await holder.site.chownFiles();
      await holder.site.clearOpcache(UNCHANGED_STEWARD);
      return { remove: () => rm(file, { force: true }) };
    },
    /** Returns the state folder of the Steward plugin. */
    async stateFolder() {
      const content = join(holder.site.root, 'wp-content');
      const name = (await readdir(content)).find((each) => /^steward-[0-9a-f]{32}$/.test(each));
      return join(content, name ?? 'none');
    },
    /** Returns the installed versions, and the active plugins without Steward. */
    async readInstalled() {
      return {
        plugins: await holder.site.installedPlugins(),
        themes: await holder.site.installedThemes(),
        active: (await holder.site.activePlugins()).filter((file) => file !== STEWARD),
      };
    },
  });

  async function offerAll() {
    await holder.site.offer(offers);
    await holder.site.storeUpdateTransients();
  }
}

/** Leaves only the Steward plugin and a working theme. */
async function emptySite(site: LicensedSite): Promise<void> {
  const content = join(site.root, 'wp-content');
  for (const name of await readdir(join(content, 'plugins'))) {
    if (name !== 'steward') await rm(join(content, 'plugins', name), { recursive: true });
  }
  for (const name of (await readdir(content)).filter((each) => each.startsWith('steward-saved-'))) {
    await rm(join(content, name), { recursive: true });
  }
  await rm(join(content, 'themes'), { recursive: true, force: true });
  await writeTheme(site, 'plain', '1.0');
  await site.chownFiles();
  await site.setOption('stylesheet', 'plain');
  await site.setOption('template', 'plain');
  await site.setActivePlugins([STEWARD]);
  await site.clearOpcache(UNCHANGED_STEWARD);
  await site.clearDebugLog();
}
