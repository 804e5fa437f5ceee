import type { Inventory } from '@steward/contract';

/**
 * The operations of a CMS that Steward needs. The caller decides whether an action succeeded by reading
 * the state again, never by the platform's return value.
 */
export type Platform = {
  /** The plugin through which the panel manages the site. Remote actions on it are refused. */
  readonly managementPlugin: string | null;

  inventory(): Promise<Inventory>;
  /** Reads the current state, from disk where there is one. Null: not installed. */
  find(kind: ItemKind, slug: string): Promise<InstalledItem | null>;
  /** Fetches the list of available updates. */
  refreshUpdateChecks(): Promise<void>;

  /** False where files may not be changed; plugins can still be activated and deactivated. */
  allowsFileChanges(): Promise<boolean>;
  /** Updates an item to its pending version, or throws and keeps the old version. */
  update(kind: ItemKind, slug: string): Promise<void>;
  activatePlugin(plugin: string): Promise<void>;
  deactivatePlugin(plugin: string): Promise<void>;
  deletePlugin(plugin: string): Promise<void>;
  /** Active plugins that require this one. */
  requiredBy(plugin: string): Promise<string[]>;
};

/** Any file in the management plugin's folder counts, in upper or lower case. */
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

/** The slug for core, which has none. */
export const CORE = 'core';
