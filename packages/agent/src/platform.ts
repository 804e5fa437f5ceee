import type { Inventory } from '@steward/contract';

/**
 * What a CMS must be able to do to be managed. A platform acts and tells what is there; whether an
 * action succeeded is decided by looking again, never by what the platform says about itself.
 */
export type Platform = {
  /** The plugin that must never be moved from outside: the one the panel manages the site through. */
  readonly managementPlugin: string | null;

  inventory(): Promise<Inventory>;
  /** Looks anew, on disk where there is one. Null: not installed. */
  find(kind: ItemKind, slug: string): Promise<InstalledItem | null>;
  /** Asks anew which updates there are. */
  refreshUpdateChecks(): Promise<void>;

  /** False where files may not be changed; switching plugins on and off works all the same. */
  allowsFileChanges(): Promise<boolean>;
  /** Brings an item to its pending version, or throws and leaves the old one in place. */
  update(kind: ItemKind, slug: string): Promise<void>;
  activatePlugin(plugin: string): Promise<void>;
  deactivatePlugin(plugin: string): Promise<void>;
  deletePlugin(plugin: string): Promise<void>;
  /** Active plugins that cannot do without this one. */
  requiredBy(plugin: string): Promise<string[]>;
};

/** The management plugin is all of its folder, however its name is written. */
export function isManagementPlugin({ managementPlugin }: Platform, plugin: string): boolean {
  const folderOf = (file: string) => file.toLowerCase().split('/')[0];
  return managementPlugin !== null && folderOf(plugin) === folderOf(managementPlugin);
}

export type ItemKind = 'plugin' | 'theme' | 'core';

export type InstalledItem = {
  version: string;
  active: boolean;
  /** Undefined: no update is pending. */
  newVersion: string | undefined;
};

/** Core has no slug of its own. */
export const CORE = 'core';
