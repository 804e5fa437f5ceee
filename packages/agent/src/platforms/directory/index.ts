import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { CORE_SLUG, isNewerVersion, isSameVersion } from '@steward/contract';
import {
  assertPackagedVersion,
  type InstalledItem,
  type ItemKind,
  type NewItem,
  type PackageKind,
  PackageRejected,
  type Platform,
  toRequiredSlug,
} from '../../platform.ts';
import { fetchListedPackage, openFeed, readRequirements } from './feed.ts';
import { checkFolders } from './folder-preflight.ts';
import { type Headers, readHeaders } from './headers.ts';
import { NEW_ITEM_LIMITS, unpackNewItem } from './new-item.ts';
import { removeByPrefix } from './remove-by-prefix.ts';
import { createSavedVersions } from './saved-versions.ts';
import { lockSite } from './site-lock.ts';
import { stagePackage } from './stage-package.ts';
import { openStateFile, type SiteState, type StateFile } from './state-file.ts';
import { createSwapper } from './swapper.ts';
import type { UnpackLimits } from './unpack.ts';

/**
 * A site in a folder: `plugins/<dir>/<file>.php` or `plugins/<file>.php`, `themes/<slug>/style.css`
 * and `core/core.php`, each with a name and a version in its header comment. `state.json` holds the
 * options of the site, the active plugins and theme, the last update check and the list of saved versions.
 */
export type DirectoryPlatform = Platform & { state: StateFile };

type DirectoryOptions = {
  root: string;
  /** A folder or an http(s) URL with `feed.json` and its packages. */
  feed: string;
  managementPlugin?: string | null;
  /** If false, the site refuses updates, installs, restores and deletions. Default: true. */
  allowFileChanges?: boolean;
  limits?: UnpackLimits;
};

const STAGING_PREFIX = 'update-';
const DEFAULT_LIMITS: UnpackLimits = { maxBytes: 256 * 1024 * 1024, maxFiles: 20_000 };

export async function createDirectoryPlatform(
  options: DirectoryOptions,
): Promise<DirectoryPlatform> {
  const { limits = DEFAULT_LIMITS } = options;
  const root = resolve(options.root);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`${root} is not a folder.`);
  }
  const workDir = join(root, '.steward');
  await mkdir(workDir, { recursive: true });
  lockSite(join(workDir, 'lock'));
  const state = openStateFile(join(root, 'state.json'));
  const saved = createSavedVersions(workDir, state);
  const feed = openFeed(options.feed, limits.maxBytes);
  const swapper = createSwapper(root, workDir);
  await swapper.recover();
  // Remove the leftovers of a process that was killed while it changed an item or the state.
  await removeByPrefix(workDir, STAGING_PREFIX);
  await removeByPrefix(root, 'state.json.');
  await saved.prune();

  const getMainFile = (kind: ItemKind, slug: string) => {
    if (kind === 'core') return join(root, 'core/core.php');
    return kind === 'plugin'
      ? join(root, 'plugins', slug)
      : join(root, 'themes', slug, 'style.css');
  };

  /** The path to swap or delete: the item's folder, or the file of a single-file plugin. */
  const getItemPath = (kind: ItemKind, slug: string) => {
    const file = getMainFile(kind, slug);
    return kind === 'plugin' && !slug.includes('/') ? file : dirname(file);
  };

  async function listItems(
    kind: 'plugin' | 'theme',
  ): Promise<{ slug: string; headers: Headers }[]> {
    const folder = join(root, `${kind}s`);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const slugs: string[] = [];
    for (const entry of entries.toSorted((a, b) => a.name.localeCompare(b.name))) {
      if (kind === 'theme' || !entry.isDirectory()) slugs.push(entry.name);
      else {
        const files = await readdir(join(folder, entry.name)).catch(() => []);
        slugs.push(...files.map((file) => `${entry.name}/${file}`));
      }
    }
    const items: { slug: string; headers: Headers }[] = [];
    for (const slug of slugs.filter((name) => kind === 'theme' || name.endsWith('.php'))) {
      const headers = await readHeaders(getMainFile(kind, slug));
      if (headers) items.push({ slug, headers });
    }
    return items;
  }

  const findOffer = ({ updates }: SiteState, kind: ItemKind, slug: string) => {
    if (kind === 'core') return updates.core;
    return (kind === 'plugin' ? updates.plugins : updates.themes)[slug];
  };

  function describe(
    current: SiteState,
    kind: ItemKind,
    slug: string,
    headers: Headers,
  ): InstalledItem {
    const offer = findOffer(current, kind, slug);
    const isNewer = offer && isNewerVersion(offer.version, headers.version);
    return {
      version: headers.version,
      active:
        kind === 'plugin' ? current.active_plugins.includes(slug) : current.active_theme === slug,
      newVersion: isNewer ? offer.version : undefined,
      requirements: isNewer ? readRequirements(offer) : undefined,
    };
  }

  async function describeAll(kind: 'plugin' | 'theme', current: SiteState) {
    const items = (await listItems(kind)).map(async ({ slug, headers }) => {
      const found = describe(current, kind, slug, headers);
      const { version, active, newVersion, requirements } = found;
      const savedVersions = await saved.list({ kind, slug }, version);
      const item = {
        name: headers.name,
        version,
        active,
        ...(newVersion !== undefined && { new_version: newVersion }),
        ...(savedVersions.length > 0 && { saved_versions: savedVersions }),
        ...requirements,
      };
      return { slug, item };
    });
    return Promise.all(items);
  }

  async function update(kind: ItemKind, slug: string, version?: string): Promise<void> {
    const offer = findOffer(await state.read(), kind, slug);
    if (!offer) throw new Error(`No update is pending for ${slug}.`);
    const staging = await mkdtemp(join(workDir, STAGING_PREFIX));
    try {
      const unpacked = await stagePackage(feed, { name: offer.package, staging, limits });
      const path = getItemPath(kind, slug);
      const staged = join(unpacked, basename(path));
      if (version !== undefined) {
        const headers = await readHeaders(join(staged, relative(path, getMainFile(kind, slug))));
        if (headers) assertPackagedVersion(headers.version, version);
      }
      await swap({ kind, slug, version: offer.version }, staged);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  /** Replaces an item with a staged version. Saves the old version of a plugin or theme. */
  async function swap(
    { kind, slug, version }: { kind: ItemKind; slug: string; version: string },
    staged: string,
  ): Promise<void> {
    const before = await readHeaders(getMainFile(kind, slug));
    await swapper.swap(getItemPath(kind, slug), staged, {
      async verify() {
        const headers = await readHeaders(getMainFile(kind, slug));
        if (headers && isSameVersion(headers.version, version)) return;
        throw new Error(
          `The package contains ${headers ? `version ${headers.version}` : 'no matching item'} instead of version ${version}.`,
        );
      },
      async keep(backup) {
        if (kind === 'core' || !before) return;
        await saved.keep({ kind, slug, version: before.version }, backup);
        await saved.forget({ kind, slug, version });
      },
    });
  }

  async function install(item: NewItem): Promise<string> {
    const { kind, version } = item;
    const staging = await mkdtemp(join(workDir, STAGING_PREFIX));
    try {
      const { slug, zip } = item.zip
        ? { slug: item.slug, zip: item.zip }
        : await fetchListedPackage(feed, item, join(staging, 'package.zip'));
      const unpacked = join(staging, 'unpacked');
      const { path } = await unpackNewItem({ kind, slug, version, zip }, unpacked, {
        ...NEW_ITEM_LIMITS,
        ...limits,
      });
      const target = getItemPath(kind, slug);
      if (existsSync(target)) {
        throw new PackageRejected(`${basename(target)} already exists.`, {
          code: 'already_installed',
        });
      }
      await mkdir(dirname(target), { recursive: true });
      // A rename is atomic, so a killed process never leaves a partial item.
      await rename(path, target);
      return slug;
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  async function restore(kind: PackageKind, slug: string, version: string): Promise<void> {
    const staging = await mkdtemp(join(workDir, STAGING_PREFIX));
    try {
      const staged = join(staging, 'saved');
      await saved.copy({ kind, slug, version }, staged);
      await swap({ kind, slug, version }, staged);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  const setActive = (plugin: string, isActive: boolean) =>
    state.change((current) => {
      const otherPlugins = current.active_plugins.filter((other) => other !== plugin);
      return { ...current, active_plugins: isActive ? [...otherPlugins, plugin] : otherPlugins };
    });

  return {
    state,
    managementPlugin: options.managementPlugin ?? null,

    async inventory() {
      const current = await state.read();
      const core = await readHeaders(getMainFile('core', CORE_SLUG));
      const { version, newVersion, requirements } = core
        ? describe(current, 'core', CORE_SLUG, core)
        : { version: '0', newVersion: undefined, requirements: undefined };
      return {
        plugins: (await describeAll('plugin', current)).map(({ slug, item }) => ({
          plugin: slug,
          ...item,
        })),
        themes: (await describeAll('theme', current)).map(({ slug, item }) => ({ slug, ...item })),
        core: {
          version,
          ...(newVersion !== undefined && { new_version: newVersion }),
          ...requirements,
        },
      };
    },

    async find(kind, slug) {
      const headers = await readHeaders(getMainFile(kind, slug));
      return headers && describe(await state.read(), kind, slug, headers);
    },

    async refreshUpdateChecks() {
      const updates = await feed.read();
      await state.change((current) => ({ ...current, updates }));
    },

    preflight: () => checkFolders(root),
    allowsFileChanges: async () => options.allowFileChanges ?? true,
    update,
    install,
    restore,

    async activatePlugin(plugin) {
      const { requiredPlugins = [] } = (await readHeaders(getMainFile('plugin', plugin))) ?? {};
      const { active_plugins } = await state.read();
      const missing = requiredPlugins.filter(
        (slug) => !active_plugins.some((active) => toRequiredSlug(active) === slug),
      );
      if (missing.length > 0)
        throw new Error(`Activate these required plugins first: ${missing.join(', ')}.`);
      await setActive(plugin, true);
    },

    deactivatePlugin: (plugin) => setActive(plugin, false),
    async deletePlugin(plugin) {
      // Rename before removing: a rename is atomic, so a killed process never leaves a partial plugin.
      const staging = await mkdtemp(join(workDir, STAGING_PREFIX));
      await rename(getItemPath('plugin', plugin), join(staging, 'deleted'));
      await rm(staging, { recursive: true, force: true });
      await saved.forget({ kind: 'plugin', slug: plugin });
    },

    async findDependents(plugin) {
      const { active_plugins } = await state.read();
      const all = await listItems('plugin');
      return all
        .filter(
          ({ slug, headers }) =>
            active_plugins.includes(slug) &&
            headers.requiredPlugins.includes(toRequiredSlug(plugin)),
        )
        .map(({ slug }) => slug);
    },
  };
}
