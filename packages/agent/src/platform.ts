import {
  type Inventory,
  type ItemRefusal,
  isSameVersion,
  type PreflightReport,
} from '@steward/contract';

/**
 * The CMS operations that Steward needs. Callers verify an action by reading the state again, because a
 * platform may report success without any effect.
 */
export type Platform = {
  /** The plugin through which the panel manages the site. Remote actions on it are refused. */
  readonly managementPlugin: string | null;

  inventory(): Promise<Inventory>;
  /** Reads the current state of an item, not a cached one. Returns null if it is not installed. */
  find(kind: ItemKind, slug: string): Promise<InstalledItem | null>;
  /** Fetches the list of available updates. */
  refreshUpdateChecks(): Promise<void>;

  /** Checks the folders and the disk space that updates need, without a change. Absent: the platform cannot check them. */
  preflight?(): Promise<PreflightReport>;
  /** If false, the site refuses updates, installs, restores and deletions. Activating and deactivating still work. */
  allowsFileChanges(): Promise<boolean>;
  /**
   * Updates an item to its pending version, or throws and keeps the old version. Throws `UpdateRolledBack` if the new
   * version was installed and the old one is back. `version`: the version that the call named. A package with another
   * version is then refused before any change (`assertPackagedVersion`).
   */
  update(kind: ItemKind, slug: string, version?: string): Promise<void>;
  /**
   * Installs an item that is not on the site, and does not activate it. Throws `PackageRejected` if the package is not
   * this item in this version. Returns the slug of the installed item. A failed install leaves nothing behind.
   */
  install(item: NewItem): Promise<string>;
  /** Replaces an item with a saved version from the inventory, and saves the replaced one. Throws like `update`. */
  restore(kind: PackageKind, slug: string, version: string): Promise<void>;
  activatePlugin(plugin: string): Promise<void>;
  deactivatePlugin(plugin: string): Promise<void>;
  deletePlugin(plugin: string): Promise<void>;
  /** Returns the active plugins that require this plugin. */
  findDependents(plugin: string): Promise<string[]>;
};

export class UpdateRolledBack extends Error {
  override readonly name = 'UpdateRolledBack';
}

/** The message is for users. `code` becomes the code in the result of the item. */
export class PackageRejected extends Error {
  override readonly name = 'PackageRejected';
  readonly code: ItemRefusal;

  constructor(message: string, options: ErrorOptions & { code?: ItemRefusal } = {}) {
    super(message, options);
    this.code = options.code ?? 'package_rejected';
  }
}

/** The download address of an offer can already serve a newer version than the call named. */
export function assertPackagedVersion(packaged: string, requested: string): void {
  if (isSameVersion(packaged, requested)) return;
  throw new PackageRejected(
    `The package contains version ${packaged} instead of version ${requested}. No changes were made.`,
    { code: 'offer_changed' },
  );
}

/** True for every file in the management plugin's folder. Ignores upper and lower case. */
export function isManagementPlugin({ managementPlugin }: Platform, plugin: string): boolean {
  const getFolder = (file: string) => file.toLowerCase().split('/')[0];
  return managementPlugin !== null && getFolder(plugin) === getFolder(managementPlugin);
}

/** Returns the slug by which other plugins require a plugin: its folder, or its file name without `.php`. */
export const toRequiredSlug = (plugin: string) =>
  plugin.includes('/') ? plugin.replace(/\/.*$/, '') : plugin.replace(/\.php$/, '');

export type ItemKind = 'plugin' | 'theme' | 'core';
export type PackageKind = 'plugin' | 'theme';

export type NewItem = {
  kind: PackageKind;
  /** If `zip` is null: the slug in the public directory of the CMS. */
  slug: string;
  version: string;
  /** The path of the verified package. Null: the platform fetches it from the public directory. */
  zip: string | null;
};

export type InstalledItem = {
  version: string;
  active: boolean;
  /** The version of the pending update. Undefined if no update is pending. */
  newVersion: string | undefined;
  /** What the pending version needs. */
  requirements?: Requirements | undefined;
};

export type Requirements = Pick<
  Inventory['plugins'][number],
  'requires' | 'requires_plugins' | 'package_bytes'
>;
