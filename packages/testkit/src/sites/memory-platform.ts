import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  assertPackagedVersion,
  type InstalledItem,
  type ItemKind,
  PackageRejected,
  type Platform,
  UpdateRolledBack,
} from '@steward/agent/platform.ts';
import { unpackNewItem } from '@steward/agent/platforms/directory/new-item.ts';
import { EMPTY_OPTIONS, type OptionsStore, type SiteOptions } from '@steward/agent/site-options.ts';
import { CORE_SLUG, type Inventory, type ItemRefusal, SAVED_VERSIONS_MAX } from '@steward/contract';

/** An item of an in-memory site. A site uses a few hundred bytes, so one process can hold thousands. */
export type MemoryItem = {
  /** Defaults to the slug. */
  name?: string;
  version: string;
  /** The CMS installs updates of the item by itself. */
  autoUpdate?: boolean;
  newVersion?: string;
  /** Newest first. */
  savedVersions?: string[];
  active?: boolean;
  requires?: string[];
  /** The lowest version of core that the pending version needs. */
  requiresCore?: string;
  /** The version in the package of the pending update, if it is not the offered one. */
  packageVersion?: string;
  /** The error message with which an update fails. */
  updateFails?: string;
  /** The code of a failure before the site changed anything. */
  failureCode?: ItemRefusal;
  /** The error message with which an update fails after it installed the new version and restored the old one. */
  updateRollsBack?: string;
  /** The update reports success but changes nothing. */
  updateHasNoEffect?: boolean;
  /** The error message with which activation fails. */
  activationFails?: string;
};

export type MemorySiteState = {
  plugins: Record<string, MemoryItem>;
  themes: Record<string, MemoryItem>;
  core: MemoryItem;
  /** The public directory: version by plugin file or theme slug. */
  directory?: Record<string, string>;
  fileChangesDisabled?: boolean;
  /** The duration of one update. */
  updateMs?: number;
};

export type MemoryPlatform = Platform & { state: MemorySiteState };

export function createMemoryPlatform(
  state: MemorySiteState,
  managementPlugin: string | null = null,
): MemoryPlatform {
  const getItem = (kind: ItemKind, slug: string): MemoryItem | undefined => {
    if (kind === 'core') return state.core;
    return kind === 'plugin' ? state.plugins[slug] : state.themes[slug];
  };
  const getItemOrThrow = (slug: string, kind: ItemKind = 'plugin'): MemoryItem => {
    const item = getItem(kind, slug);
    if (!item) throw new Error(`There is no ${kind} ${slug}.`);
    return item;
  };

  return {
    state,
    managementPlugin,

    async inventory() {
      const describe = (
        { name, version, newVersion, savedVersions = [], ...item }: MemoryItem,
        slug: string,
      ) => ({
        name: name ?? slug,
        version,
        active: item.active ?? false,
        ...(item.autoUpdate !== undefined && { auto_update: item.autoUpdate }),
        ...(newVersion !== undefined && { new_version: newVersion }),
        ...(savedVersions.length > 0 && { saved_versions: savedVersions }),
        ...(item.requiresCore !== undefined && { requires: item.requiresCore }),
      });
      const { version, new_version, auto_update } = describe(state.core, CORE_SLUG);
      const inventory: Inventory = {
        plugins: Object.entries(state.plugins).map(([plugin, item]) => ({
          plugin,
          ...describe(item, plugin),
        })),
        themes: Object.entries(state.themes).map(([slug, item]) => ({
          slug,
          ...describe(item, slug),
        })),
        core: {
          version,
          ...(new_version !== undefined && { new_version }),
          ...(auto_update !== undefined && { auto_update }),
        },
      };
      return inventory;
    },

    async find(kind, slug): Promise<InstalledItem | null> {
      const item = getItem(kind, slug);
      if (!item) return null;
      const { version, active = false, newVersion, requiresCore } = item;
      return {
        version,
        active,
        newVersion,
        ...(requiresCore !== undefined && { requirements: { requires: requiresCore } }),
      };
    },

    refreshUpdateChecks: async () => {},
    allowsFileChanges: async () => !state.fileChangesDisabled,

    async update(kind, slug, version) {
      const item = getItemOrThrow(slug, kind);
      if (state.updateMs) await new Promise((resolve) => setTimeout(resolve, state.updateMs));
      if (item.updateFails !== undefined) {
        const { updateFails: message, failureCode: code } = item;
        throw code ? new PackageRejected(message, { code }) : new Error(message);
      }
      if (item.updateRollsBack !== undefined) throw new UpdateRolledBack(item.updateRollsBack);
      if (item.updateHasNoEffect || item.newVersion === undefined) return;
      const packaged = item.packageVersion ?? item.newVersion;
      if (version !== undefined) assertPackagedVersion(packaged, version);
      replaceVersion(item, packaged);
      delete item.newVersion;
    },

    async install({ kind, slug, version, zip }) {
      const items = kind === 'plugin' ? state.plugins : state.themes;
      const listed = Object.keys(state.directory ?? {}).find((name) => name.split('/')[0] === slug);
      const newSlug = zip === null ? listed : slug;
      if (newSlug === undefined || (zip === null && state.directory?.[newSlug] !== version)) {
        throw new PackageRejected(`The directory has no ${slug} in version ${version}.`, {
          code: 'item_not_found',
        });
      }
      if (zip !== null) {
        const folder = await mkdtemp(join(tmpdir(), 'steward-memory-'));
        try {
          await unpackNewItem({ kind, slug, version, zip }, folder);
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      }
      items[newSlug] = { version };
      return newSlug;
    },

    async restore(kind, slug, version) {
      const item = getItemOrThrow(slug, kind);
      if (item.updateRollsBack !== undefined) throw new UpdateRolledBack(item.updateRollsBack);
      item.newVersion ??= item.version;
      replaceVersion(item, version);
    },

    async activatePlugin(plugin) {
      const item = getItemOrThrow(plugin);
      if (item.activationFails !== undefined) throw new Error(item.activationFails);
      item.active = true;
    },

    async deactivatePlugin(plugin) {
      getItemOrThrow(plugin).active = false;
    },

    async deletePlugin(plugin) {
      delete state.plugins[plugin];
    },

    async findDependents(plugin) {
      return Object.entries(state.plugins)
        .filter(([, item]) => item.active && item.requires?.includes(plugin))
        .map(([name]) => name);
    },
  };
}

function replaceVersion(item: MemoryItem, version: string): void {
  const others = (item.savedVersions ?? []).filter((saved) => saved !== version);
  item.savedVersions = [item.version, ...others].slice(0, SAVED_VERSIONS_MAX);
  item.version = version;
}

export function createMemoryOptions(initial: Partial<SiteOptions> = {}): OptionsStore {
  let options: SiteOptions = { ...EMPTY_OPTIONS, ...initial };
  return {
    read: async () => options,
    write: async (change) => {
      options = { ...options, ...change };
    },
  };
}
