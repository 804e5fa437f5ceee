/** The plugins, themes and core of the demo. */

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

/** On one site, the package of this plugin is damaged. */
export const DAMAGED_PLUGIN: PluginName = 'bookings';
/** The new version of this plugin fails when visitors use it, although its update succeeds. */
export const FAULTY_PLUGIN: PluginName = 'newsletter';
