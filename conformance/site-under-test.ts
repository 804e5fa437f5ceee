import type { Inventory } from '@steward/contract';

/**
 * What the suite needs of a site side to test it. Every implementation prepares the same site, so
 * that the same statements can be checked.
 */
export type SiteUnderTest = {
  /** Where the site is, without `/cms-json/…`. */
  url: string;
  key: string;
  /** The version of the management plugin, where that is a real one. */
  managementVersion?: string;
  /** Makes the site as the scenario has it, whatever was there before. */
  reset(scenario: Scenario): Promise<void>;
  /** What is installed, seen by other eyes than the site side's own. */
  look(): Promise<Seen>;
  /** Whether an update is under way at this moment, seen from outside. */
  isUpdating(): Promise<boolean>;
  /** The inventories the site has reported to its panel since the last reset. */
  reported(): Promise<Inventory[]>;
};

export type Scenario = {
  /** Which updates are pending: none; those that work; those and one whose package is broken. */
  updates: 'none' | 'good' | 'one_corrupt';
  coreUpdate?: boolean;
  /** The services that are enabled on the site. */
  services?: string[];
  /** The public key of the panel that the site knows; left out: none, it was set up by hand. */
  panelKey?: string;
  /** No license key is stored on the site. */
  withoutKey?: boolean;
  fileChangesDisabled?: boolean;
  /** The panel does not take the report. */
  panelDown?: boolean;
  /** How long one update takes at least. */
  updateMs?: number;
};

/** Versions by plugin file and theme; the plugins that are active. */
export type Seen = {
  plugins: Record<string, string>;
  themes: Record<string, string>;
  core: string;
  active: string[];
};

/** The one site that all implementations prepare. */
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
