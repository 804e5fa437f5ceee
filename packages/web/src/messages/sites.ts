import { SITE_IDS_MAX } from '@steward/contract';
import { count, formatNumber } from '../lib/format.ts';

type Total = { count: number; is_exact: boolean };

const VERBS = { activate: 'Activate', deactivate: 'Deactivate', delete: 'Delete' } as const;
type PluginVerb = keyof typeof VERBS;

/** The sites page: list, filters, selection, and the dialogs for many sites. */
export const sitesMessages = {
  page: {
    title: 'Sites',
    total: ({ count: sites, is_exact }: Total) =>
      is_exact ? count(sites, 'site') : `${formatNumber(sites)} sites or more`,
    matching: ({ count: sites, is_exact }: Total) =>
      is_exact
        ? count(sites, 'site matches', 'sites match')
        : `${formatNumber(sites)} sites or more match`,
    connect: 'Connect a site',
    connectOwnersOnly:
      'Only owners can connect sites, because each site uses a seat of a license. Ask an owner to connect the site and to give you access to it.',
    noMatchTitle: 'No site matches',
    noMatch: 'Try a shorter search or clear filters.',
    showAll: 'Show all sites',
    emptyTitle: 'No site is connected yet',
    empty: 'A site appears here as soon as it connects.',
    showHow: 'Show me how',
    noAccessTitle: 'You do not have access to any site yet',
    noAccess: 'Ask an owner to give you access to sites.',
  },
  table: {
    label: 'Sites',
    name: 'Site',
    status: 'Status',
    pending: 'Updates',
    cms: 'CMS',
    php: 'PHP',
    plugin: 'Steward',
    check: 'Last check-in',
    client: 'Client',
    tags: 'Tags',
    nothingPending: 'none',
    noPhp: 'none',
    /** For the column PHP: the site runs on another runtime. */
    otherRuntime: (runtime: string) => `No PHP: the site runs on ${runtime}`,
    plugins: (plugins: number) => count(plugins, 'plugin'),
    themes: (themes: number) => count(themes, 'theme'),
    core: (updates: number) => count(updates, 'core update'),
    select: (site: string) => `Select ${site}`,
    selectNone: 'Select none',
    selectLoaded: (sites: number) =>
      `Select the ${sites === 1 ? 'loaded site' : `${sites} loaded sites`}`,
    loadingMore: 'Loading more sites…',
  },
  filters: {
    label: 'Sites',
    search: 'Search sites',
    searchPlaceholder: 'Name or address',
    searchKey: '/',
    status: 'Status',
    anyStatus: 'Any status',
    pending: 'Pending updates',
    pendingOptions: {
      any: 'Has updates',
      updatable: 'Has updates that can run now',
      plugins: 'Plugin updates',
      themes: 'Theme updates',
      core: 'Core updates',
      none: 'No updates',
    },
    archived: 'Archived',
    tag: 'Tag',
    anyTag: 'Any tag',
    client: 'Client',
    anyClient: 'Any client',
    /** "vip (12)": a tag or a client, with the number of its sites. */
    withCount: (name: string, sites: number) => `${name} (${formatNumber(sites)})`,
    support: 'Version support',
    supportOptions: {
      php_ended: 'PHP without security fixes',
      php_ending: 'PHP support ends soon',
      wordpress_ended: 'WordPress no longer supported',
    },
    environment: 'Environment',
    environments: {
      production: 'Production',
      staging: 'Staging',
      development: 'Development',
      local: 'Local',
    },
    /** "License: Agency …37XBEC", or the id if the user may not read the license. */
    license: (name: string) => `License: ${name}`,
    clearLicense: 'Show the sites of all licenses',
    /** "Plugin: WooCommerce 5.2", "Core: 6.8, outdated". */
    software: (type: string, parts: (string | undefined)[], isOutdated: boolean) => {
      const software = parts.filter((part) => part !== undefined).join(' ');
      return `${software === '' ? type : `${type}: ${software}`}${isOutdated ? ', outdated' : ''}`;
    },
    clearSoftware: 'Show sites with any software',
    stewardPluginOutdated: 'Steward plugin outdated',
    clearStewardPlugin: 'Show sites with any version of the Steward plugin',
    clear: 'Clear filters',
  },
  selection: {
    label: 'Selected sites',
    clear: 'Select none',
    more: 'More actions',
    selected: (sites: number) => `${count(sites, 'site')} selected`,
    tooMany: `Select at most ${formatNumber(SITE_IDS_MAX)} sites.`,
    tag: 'Tag',
    sync: 'Sync',
    selectAll: 'Select all that match',
    selectAllOf: (sites: number) => `Select all ${formatNumber(sites)} that match`,
    onlyFirst: (selected: number) =>
      `A run can include at most ${formatNumber(SITE_IDS_MAX)} sites. It includes the first ${formatNumber(selected)} matches.`,
  },
  pluginOnSites: {
    open: (plugin: string) => `Manage ${plugin}`,
    actions: { activate: 'Activate…', deactivate: 'Deactivate…', delete: 'Delete…' },
    title: (action: PluginVerb, plugin: string) => `${VERBS[action]} ${plugin}`,
    confirm: (action: PluginVerb, sites: number) => `${VERBS[action]} on ${count(sites, 'site')}`,
    effects: {
      activate: (sites: number) => `Steward activates the plugin on ${count(sites, 'site')}.`,
      deactivate: (sites: number) =>
        `Steward deactivates the plugin on ${count(sites, 'site')}. Its settings and data are kept.`,
      delete: (sites: number) =>
        `Steward deactivates the plugin and deletes its files on ${count(sites, 'site')}. Most plugins also delete their settings and data. This cannot be undone.`,
    },
  },
  tags: {
    title: (sites: number) => `Change tags of ${count(sites, 'site')}`,
    add: 'Add tags',
    addPlaceholder: 'Type a tag and press Enter',
    remove: 'Remove tags',
    shared: 'Tags are shared: every user who sees a site sees its tags.',
    changed: (sites: number) => `Tags changed on ${count(sites, 'site')}.`,
    refused: (sites: number, reason: string) => ` ${count(sites, 'site')} not changed: ${reason}`,
  },
} as const;
