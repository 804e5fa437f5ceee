import type { SoftwareFilter, SoftwareType } from '@steward/contract';
import { count, formatNumber } from '../lib/format.ts';

type Total = { count: number; is_exact: boolean };
type VersionCount = { version: string; sites: number };

const NOUNS: Record<SoftwareType, [one: string, many: string]> = {
  plugin: ['plugin', 'plugins'],
  theme: ['theme', 'themes'],
  core: ['core', 'cores'],
};

const onSites = ({ version, sites }: VersionCount) => `${version} on ${count(sites, 'site')}`;

/** The list of plugins, themes and core of all sites, and the page of one of them. */
export const softwareMessages = {
  title: 'Software',
  tabsLabel: 'Type of software',
  tabs: { plugin: 'Plugins', theme: 'Themes', core: 'Core' } satisfies Record<SoftwareType, string>,
  types: { plugin: 'Plugin', theme: 'Theme', core: 'Core' } satisfies Record<SoftwareType, string>,
  nouns: { plugin: 'plugin', theme: 'theme', core: 'core' } satisfies Record<SoftwareType, string>,

  list: {
    coreNote: 'The versions of the CMS on all sites',
    total: (type: SoftwareType, { count: items, is_exact }: Total) =>
      is_exact
        ? count(items, ...NOUNS[type])
        : `More than ${formatNumber(items)} ${NOUNS[type][1]}`,
    matching: (type: SoftwareType, { count: items, is_exact }: Total) =>
      is_exact
        ? `${count(items, ...NOUNS[type])} ${items === 1 ? 'matches' : 'match'}`
        : `More than ${formatNumber(items)} ${NOUNS[type][1]} match`,
    showMore: (type: SoftwareType) => `Show more ${NOUNS[type][1]}`,
    emptyTitles: {
      plugin: 'No plugins yet',
      theme: 'No themes yet',
      core: 'No core version yet',
    } satisfies Record<SoftwareType, string>,
    empty: 'Plugins, themes and core appear here after a site has reported them.',
    goToSites: 'Go to the sites',
    noMatchTitles: {
      plugin: 'No plugin matches',
      theme: 'No theme matches',
      core: 'No core version matches',
    } satisfies Record<SoftwareType, string>,
    noMatch: 'Try a shorter search or clear filters.',
  },
  filters: {
    label: 'Software',
    search: (type: SoftwareType) => `Search ${NOUNS[type][1]}`,
    searchPlaceholder: 'Search by name or slug',
    filter: 'Filter',
    any: 'All',
    options: {
      outdated: 'Outdated',
      inactive: 'Not active on any site',
      single_site: 'On one site',
    } satisfies Record<SoftwareFilter, string>,
  },
  columns: {
    name: 'Name',
    sites: 'Sites',
    active: 'Active on',
    versions: 'Versions',
    outdated: 'Outdated',
    newest: 'Newest version',
  },
  none: 'none',
  sites: (sites: number) => count(sites, 'site'),
  held: (version: string, isQuarantined: boolean) =>
    isQuarantined ? `${version}: quarantined` : `${version}: held by a rule`,
  versions: {
    total: (versions: number) => count(versions, 'version'),
    /** "5.3 on 30 sites, 5.2 on 8 sites, 2 other versions on 3 sites". */
    describe: (versions: VersionCount[], others: { versions: number; sites: number }) =>
      [
        ...versions.map(onSites),
        ...(others.versions > 0
          ? [`${count(others.versions, 'other version')} on ${count(others.sites, 'site')}`]
          : []),
      ].join(', '),
  },

  item: {
    /** "On 38 sites, active on 30". */
    counts: (sites: number, active: number) =>
      `On ${count(sites, 'site')}, active on ${active === 0 ? 'none' : formatNumber(active)}`,
    coreCounts: (sites: number) => `On ${count(sites, 'site')}`,
    newest: (version: string) => `Newest version: ${version}`,
    viewSites: 'View in Sites',
    sitesTitle: 'Sites',
    sitesColumns: {
      version: 'Version',
      active: 'State',
      hold: 'Held',
      health: 'Health',
      changed: 'Since',
    },
    held: 'Held',
    quarantined: 'Quarantined',
    allSites: 'All sites',
    outdatedSites: 'Outdated',
    sitesFilter: 'Which sites',
    searchSites: 'Search sites',
    onlyVersion: (version: string) => `Only ${version}`,
    allVersions: 'Show all versions',
    noSites: 'No site matches',
    noSitesHint: 'Try a shorter search or clear filters.',
    clearFilters: 'Clear filters',
    update: (sites: number) => `Update on ${count(sites, 'site')}`,
    upToDate: 'No site has a pending update of this software anymore.',
    notFound:
      'No site that you can see has this software. It may have been deleted, or the link may be wrong.',
    versionsTitle: 'Versions',
    holdsTitle: 'Held versions',
    columns: {
      version: 'Version',
      sites: 'Sites',
      active: 'Active on',
      outdated: 'Outdated',
      offers: 'Offered update',
      actions: 'Actions',
    },
    newestMark: 'newest',
    /** The name of a link to the sites with this version. */
    sitesWith: (name: string, version: string) => `Sites with ${name} ${version}`,
    offers: (offers: { new_version: string; sites: number }[]) =>
      offers.map(({ new_version, sites }) => onSites({ version: new_version, sites })).join(', '),
    otherVersions: (versions: number) => `${count(versions, 'older version')} not shown.`,
  },
} as const;
