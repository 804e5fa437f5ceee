/** The demo data: plugins, themes, licenses, and sites with their faults. */

type Release = { name: string; version: string; previous: string };

/** Every feed offers `version`. Outdated sites have `previous`. */
export const PLUGINS = {
  'backup-mate': { name: 'Backup Mate', version: '1.12.0', previous: '1.11.4' },
  bookings: { name: 'Bookings', version: '4.0.2', previous: '3.9.8' },
  'contact-forms': { name: 'Contact Forms', version: '5.2.1', previous: '5.1.0' },
  'cookie-notice': { name: 'Cookie Notice', version: '1.7.1', previous: '1.7.0' },
  newsletter: { name: 'Newsletter', version: '2.1.0', previous: '2.0.5' },
  'page-cache': { name: 'Page Cache', version: '2.9.3', previous: '2.8.0' },
  'seo-basics': { name: 'SEO Basics', version: '3.4.0', previous: '3.2.2' },
  'shop-kit': { name: 'Shop Kit', version: '8.3.0', previous: '8.1.2' },
} satisfies Record<string, Release>;
export const THEMES = {
  harbour: { name: 'Harbour', version: '2.2.0', previous: '2.1.0' },
  linen: { name: 'Linen', version: '1.4.0', previous: '1.3.2' },
} satisfies Record<string, Release>;
export const CORE: Release = { name: 'CMS', version: '6.8.2', previous: '6.8.1' };

export type PluginName = keyof typeof PLUGINS;
export type ThemeName = keyof typeof THEMES;

export type LicenseName = 'agency' | 'care' | 'former';
export const LICENSES: Record<
  LicenseName,
  { plan: string; siteLimit: number; expiresInDays?: number; isSuspended?: true }
> = {
  // Nearly full: five of its sites use a seat.
  agency: { plan: 'Agency', siteLimit: 6 },
  care: { plan: 'Care', siteLimit: 5, expiresInDays: 9 },
  former: { plan: 'Former clients', siteLimit: 2, isSuspended: true },
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
  tags: string[];
  environment?: 'staging' | 'development' | 'local';
  plugins: PluginName[];
  theme: ThemeName;
  /** The plugins, theme or core with a pending update. */
  outdated: (PluginName | ThemeName | 'core')[];
  fault?: SiteFault;
};

export const DAMAGED_PLUGIN: PluginName = 'bookings';
/** Tests of other parts of the demo set a shorter time. */
export const SLOW_RESPONSE_MS = Number(process.env.DEMO_SLOW_RESPONSE_MS ?? 20_000);

export const SITES: DemoSite[] = [
  {
    host: 'miller-bakery.demo',
    license: 'agency',
    tags: ['retail', 'priority'],
    plugins: ['contact-forms', 'page-cache', 'seo-basics', 'shop-kit'],
    theme: 'linen',
    outdated: ['page-cache', 'seo-basics', 'shop-kit', 'linen'],
  },
  {
    host: 'harbour-dental.demo',
    license: 'agency',
    tags: ['health', 'priority'],
    plugins: ['backup-mate', 'contact-forms', 'cookie-notice'],
    theme: 'harbour',
    outdated: ['contact-forms', 'core'],
  },
  {
    host: 'hopfield-brewery.demo',
    license: 'agency',
    tags: ['retail'],
    plugins: ['bookings', 'newsletter', 'shop-kit'],
    theme: 'linen',
    outdated: ['bookings', 'newsletter'],
    fault: 'damaged_package',
  },
  {
    host: 'rose-and-thyme.demo',
    license: 'agency',
    tags: ['retail'],
    plugins: ['contact-forms', 'shop-kit'],
    theme: 'linen',
    outdated: ['shop-kit'],
    fault: 'down',
  },
  {
    host: 'tide-museum.demo',
    license: 'agency',
    tags: ['culture'],
    plugins: ['bookings', 'newsletter', 'page-cache'],
    theme: 'harbour',
    outdated: ['newsletter', 'harbour'],
    fault: 'slow',
  },
  {
    host: 'lindqvist-law.demo',
    license: 'care',
    tags: ['care plan'],
    plugins: ['backup-mate', 'contact-forms', 'seo-basics'],
    theme: 'harbour',
    outdated: [],
  },
  {
    host: 'northside-garage.demo',
    license: 'care',
    tags: ['care plan'],
    plugins: ['bookings', 'cookie-notice'],
    theme: 'linen',
    outdated: [],
  },
  {
    host: 'stillwater-yoga.demo',
    license: 'care',
    tags: ['care plan', 'health'],
    plugins: ['bookings', 'newsletter', 'seo-basics'],
    theme: 'linen',
    outdated: ['bookings', 'seo-basics', 'core'],
  },
  {
    host: 'corner-cafe.demo',
    license: 'former',
    tags: [],
    plugins: ['contact-forms', 'page-cache'],
    theme: 'linen',
    outdated: ['page-cache'],
  },
  {
    host: 'staging.miller-bakery.demo',
    license: 'agency',
    tags: ['staging'],
    environment: 'staging',
    plugins: ['contact-forms', 'page-cache', 'seo-basics', 'shop-kit'],
    theme: 'linen',
    outdated: ['shop-kit', 'core'],
  },
  {
    host: 'dev.harbour-dental.demo',
    license: 'agency',
    tags: ['staging'],
    environment: 'development',
    plugins: ['backup-mate', 'contact-forms', 'cookie-notice'],
    theme: 'harbour',
    outdated: [],
  },
  {
    host: 'shop.localhost',
    license: 'agency',
    tags: ['staging'],
    environment: 'local',
    plugins: ['shop-kit'],
    theme: 'linen',
    outdated: ['shop-kit'],
  },
];

/** The panel listens on the first port, the sites on the following ports. */
export function siteUrl(site: DemoSite, firstPort: number): string {
  return `http://${site.host}:${sitePort(site, firstPort)}`;
}

export function sitePort(site: DemoSite, firstPort: number): number {
  return firstPort + 1 + SITES.indexOf(site);
}
