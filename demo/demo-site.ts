import type { PluginName, ThemeName } from './software.ts';

export type LicenseName = 'agency' | 'care' | 'former' | 'network';
export const LICENSES: Record<
  LicenseName,
  { plan: string; siteLimit: number; expiresInDays?: number; isSuspended?: true }
> = {
  // Nearly full: five of its sites use a seat.
  agency: { plan: 'Agency', siteLimit: 6 },
  care: { plan: 'Care', siteLimit: 5, expiresInDays: 9 },
  former: { plan: 'Former clients', siteLimit: 2, isSuspended: true },
  network: { plan: 'Network', siteLimit: 250 },
};

export type SiteFault =
  /** No server listens at the address of the site. */
  | 'down'
  /** Every response is slow. */
  | 'slow'
  /** The package of one plugin is damaged. */
  | 'damaged_package';

export type DemoSite = {
  host: string;
  license: LicenseName;
  /** Without a name, the panel shows the address. */
  name?: string;
  client?: string;
  tags: string[];
  environment?: 'staging' | 'development' | 'local';
  plugins: PluginName[];
  theme: ThemeName;
  /** The plugins, theme or core with a pending update. */
  outdated: (PluginName | ThemeName | 'core')[];
  fault?: SiteFault;
  /** Visitors see a fatal error once the site has the new version of the faulty plugin. */
  failsAfterUpdate?: boolean;
};

/** A site with its place in the fleet, which decides about its port. */
export type PlacedSite = DemoSite & { place: number };

/** Tests of other parts of the demo set a shorter time. */
export const SLOW_RESPONSE_MS = Number(process.env.DEMO_SLOW_RESPONSE_MS ?? 20_000);
