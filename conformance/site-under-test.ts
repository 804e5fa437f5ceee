import type { Inventory } from '@steward/contract';

/**
 * The site that the suite tests. Every implementation prepares the same site, so that the same assertions
 * apply.
 */
export type SiteUnderTest = {
  /** The site URL without `/cms-json/…`. */
  url: string;
  key: string;
  /** The version of the management plugin, if the site has a real one. */
  managementVersion?: string;
  /** Prepares the site for the scenario, independent of its previous state. */
  reset(scenario: Scenario): Promise<void>;
  /** Reads the installed items without the code under test. */
  readState(): Promise<InstalledState>;
  /** Whether an update is running now, observed from outside. */
  isUpdating(): Promise<boolean>;
  /** Returns the inventories that the site reported to its panel since the last reset. */
  readReports(): Promise<Inventory[]>;
};

export type Scenario = {
  /** Pending updates: none, only valid packages, or valid packages and one corrupt package. */
  updates: 'none' | 'good' | 'one_corrupt';
  coreUpdate?: boolean;
  /** The services enabled on the site. */
  services?: string[];
  /** The panel's public key stored on the site. Omitted for a site that was set up by hand. */
  panelKey?: string;
  /** The site has no stored license key. */
  withoutKey?: boolean;
  fileChangesDisabled?: boolean;
  /** The panel does not accept the report. */
  panelDown?: boolean;
  /** The minimum duration of one update. */
  updateMs?: number;
};

/** Versions by plugin file and theme slug, and the active plugins. */
export type InstalledState = {
  plugins: Record<string, string>;
  themes: Record<string, string>;
  core: string;
  active: string[];
};

/** The site that all implementations prepare. */
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

export const CORE = { version: '6.0', newVersion: '6.1' } as const;
