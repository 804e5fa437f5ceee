import type { Inventory, PreflightReport } from '@steward/contract';

/** A site that the suite tests. All implementations prepare the same site, so that the same assertions apply. */
export type SiteUnderTest = {
  /** The site URL without `/cms-json/…`. */
  url: string;
  key: string;
  /** Default: the version in `PLUGINS`. A real management plugin has another version. */
  managementPluginVersion?: string;
  /** The panel to which the site reports. Omitted if the reports need no panel. */
  panelUrl?: string;
  /** Prepares the site for the scenario, from any state. */
  reset(scenario: Scenario): Promise<void>;
  /** Reads the installed items. Must not use the code under test. */
  readState(): Promise<InstalledState>;
  /** Returns true while an update runs. Must not use the code under test. */
  isUpdating(): Promise<boolean>;
  /** Returns the inventories that the site reported to its panel since the last reset. */
  readReports(): Promise<Inventory[]>;
  /** Returns the last preflight that the site reported since the last reset, or null. */
  readPreflight(): Promise<PreflightReport | null>;
};

export type Scenario = {
  /** Pending updates: none, only valid packages, or valid packages and one corrupt package. */
  updates: 'none' | 'good' | 'one_corrupt';
  coreUpdate?: boolean;
  /** The pending version of `good` requires this version of core. */
  requiresCore?: string;
  /** The package of `good` contains this version instead of the offered one. */
  packageVersion?: string;
  /** The services enabled on the site. */
  services?: string[];
  /** The panel's public key, which the site stores. Omitted for a site that was set up by hand. */
  panelKey?: string;
  /** The capabilities that the panel announced to the site. Default: none. */
  panelCapabilities?: string[];
  /** The panel address that the site stores. Default: its panel. */
  panelUrl?: string;
  /** The site has no stored license key. */
  withoutKey?: boolean;
  fileChangesDisabled?: boolean;
  /** The report to the panel fails. */
  panelDown?: boolean;
  /** The minimum duration of one update. */
  updateMs?: number;
};

/** The versions by plugin file and theme slug, and the files of the active plugins. */
export type InstalledState = {
  plugins: Record<string, string>;
  themes: Record<string, string>;
  core: string;
  active: string[];
};

/** The plugins of the site that all implementations prepare. */
export const PLUGINS = {
  good: { file: 'good/good.php', version: '1.0', newVersion: '1.1', active: true },
  idle: { file: 'idle/idle.php', version: '1.0', newVersion: '2.0', active: false },
  corrupt: { file: 'corrupt/corrupt.php', version: '1.0', newVersion: '1.1', active: true },
  parent: { file: 'parent/parent.php', version: '3.0', active: true },
  child: { file: 'child/child.php', version: '3.1', active: true, requires: 'parent' },
  single: { file: 'single.php', version: '0.9', active: false },
  management: { file: 'steward/steward.php', version: '1.0', newVersion: '9.9', active: true },
} as const;

export const THEMES = {
  plain: { slug: 'plain', version: '1.0', newVersion: '1.2', active: true },
  spare: { slug: 'spare', version: '2.0', active: false },
} as const;

/** A plugin that is not installed. The public directory of the CMS offers it in this version. */
export const DIRECTORY_PLUGIN = {
  slug: 'listed',
  file: 'listed/listed.php',
  version: '1.5',
} as const;

export const CORE = { version: '6.0', newVersion: '6.1' } as const;
