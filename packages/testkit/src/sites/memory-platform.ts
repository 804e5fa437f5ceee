import {
  CORE,
  type InstalledItem,
  type ItemKind,
  type Platform,
  UpdateRolledBack,
} from '@steward/agent/platform.ts';
import { EMPTY_OPTIONS, type OptionsStore, type SiteOptions } from '@steward/agent/site-options.ts';
import type { Inventory } from '@steward/contract';

/** An item of an in-memory site. A site uses a few hundred bytes, so one process can hold thousands. */
export type MemoryItem = {
  version: string;
  newVersion?: string;
  active?: boolean;
  requires?: string[];
  /** The error message with which an update fails. */
  updateFails?: string;
  /** The error message with which an update fails after the new version was installed. The old one is back. */
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
      const describe = ({ version, newVersion, active = false }: MemoryItem, name: string) => ({
        name,
        version,
        active,
        ...(newVersion !== undefined && { new_version: newVersion }),
      });
      const { version, new_version } = describe(state.core, CORE);
      const inventory: Inventory = {
        plugins: Object.entries(state.plugins).map(([plugin, item]) => ({
          plugin,
          ...describe(item, plugin),
        })),
        themes: Object.entries(state.themes).map(([slug, item]) => ({
          slug,
          ...describe(item, slug),
        })),
        core: { version, ...(new_version !== undefined && { new_version }) },
      };
      return inventory;
    },

    async find(kind, slug): Promise<InstalledItem | null> {
      const item = getItem(kind, slug);
      if (!item) return null;
      return { version: item.version, active: item.active ?? false, newVersion: item.newVersion };
    },

    refreshUpdateChecks: async () => {},
    allowsFileChanges: async () => !state.fileChangesDisabled,

    async update(kind, slug) {
      const item = getItemOrThrow(slug, kind);
      if (state.updateMs) await new Promise((resolve) => setTimeout(resolve, state.updateMs));
      if (item.updateFails !== undefined) throw new Error(item.updateFails);
      if (item.updateRollsBack !== undefined) throw new UpdateRolledBack(item.updateRollsBack);
      if (item.updateHasNoEffect || item.newVersion === undefined) return;
      item.version = item.newVersion;
      delete item.newVersion;
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

export function createMemoryOptions(initial: Partial<SiteOptions> = {}): OptionsStore {
  let options: SiteOptions = { ...EMPTY_OPTIONS, ...initial };
  return {
    read: async () => options,
    write: async (change) => {
      options = { ...options, ...change };
    },
  };
}
