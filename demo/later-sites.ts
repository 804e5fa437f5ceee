import type { DemoSite } from './demo-site.ts';
import { FAULTY_PLUGIN, PLUGINS, type PluginName, THEMES, type ThemeName } from './software.ts';

/** The sites that `--sites` adds to the first twelve. The same number gives the same sites at each start. */

type Series = [client: string, brand: string, site: string, tag: string];

const SERIES: Series[] = [
  ['Kingfisher Hotels', 'Kingfisher', 'Hotel', 'hotels'],
  ['Fernhill Clinics', 'Fernhill', 'Clinic', 'health'],
  ['Oakley Outfitters', 'Oakley', 'Store', 'retail'],
  ['Meridian Festivals', 'Meridian', 'Festival', 'culture'],
  ['City of Ashford', 'Ashford', 'District', 'public'],
];

/** The sites of this client got their updates before the user signs in for the first time. */
export const UPDATED_CLIENT = 'Fernhill Clinics';
/** All sites of this client were down last night, because its hosting company was. */
export const CLIENT_WITH_OUTAGE = 'Kingfisher Hotels';
/** The tag of the sites that get a rollout first. */
const FIRST_RING_TAG = 'canary';

const PLUGIN_NAMES = Object.keys(PLUGINS) as PluginName[];
const THEME_NAMES = Object.keys(THEMES) as ThemeName[];

export function createLaterSites(count: number): DemoSite[] {
  return Array.from({ length: count }, (_, index) => createLaterSite(index));
}

function createLaterSite(index: number): DemoSite {
  const [client, brand, site, tag] = SERIES[index % SERIES.length] as Series;
  const number = Math.floor(index / SERIES.length) + 1;
  const plugins = PLUGIN_NAMES.filter((_, place) => (index + place * 3) % 5 < 3);
  const theme = THEME_NAMES[index % THEME_NAMES.length] as ThemeName;
  const isOutdated = (place: number) => (index + place) % 4 === 0;
  return {
    host: `${site}-${number}.${brand}.demo`.toLowerCase(),
    name: `${brand} ${site} ${number}`,
    license: 'network',
    client,
    tags: number === 1 ? [tag, FIRST_RING_TAG] : [tag],
    plugins,
    theme,
    outdated: [
      // Most sites lack the version that the rollout brings.
      ...plugins.filter((plugin, place) => plugin === FAULTY_PLUGIN || isOutdated(place)),
      ...(isOutdated(2) ? [theme] : []),
      ...(isOutdated(3) ? (['core'] as const) : []),
    ],
    failsAfterUpdate: plugins.includes(FAULTY_PLUGIN),
  };
}
