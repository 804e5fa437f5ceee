import { count, formatDay, formatNumber } from '../lib/format.ts';

const done = {
  update: 'updated',
  activate: 'activated',
  deactivate: 'deactivated',
  delete: 'deleted',
};

/** The page of a site. */
export const siteMessages = {
  page: {
    title: 'Site',
    notFound: 'site',
    notFoundReason: 'The link may be wrong, or you do not have access to this site.',
    open: (url: string) => `Open ${url}`,
    history: 'History',
    historyNote: 'Actions on this site.',
  },
  actions: {
    sync: 'Sync now',
    synced: (site: string) => `Synced ${site}.`,
    updateAll: (updates: number) => `Update all (${formatNumber(updates)})`,
  },
  facts: {
    cms: 'CMS',
    php: 'PHP',
    plugin: 'Plugin',
    environment: 'Environment',
    counted: 'Counts toward license',
    countedYes: 'yes',
    countedNo: 'no (local or staging)',
    lastCheck: 'Last check-in',
    lastReport: 'Last report',
    license: 'License',
    licenseKey: (lastSix: string) => `…${lastSix}`,
    licenseEnd: (expiresAt: string) => `, until ${formatDay(expiresAt)}`,
    key: 'Key',
    siteKey: 'site key',
    sharedKey: 'shared license key',
    oldKeyEnded: (endsAt: string) => `old license key, expired ${formatDay(endsAt)}`,
    oldKeyEnds: (endsAt: string) => `old license key, expires ${formatDay(endsAt)}`,
    address: 'Address',
    proven: 'proven',
    notProven: 'not proven',
    notProvenBecause: (reason: string) => `not proven: ${reason}`,
    connectAgain: 'connect the site with the current plugin',
    encryption: 'Encryption',
    noEncryption: 'none: calls use http. Move the site to https',
    unsignedCalls: 'Unsigned calls',
    unsignedAccepted: 'accepted from any client with the site key; switch them off on the site',
    webLogin: 'Web server login',
    webLoginStored: 'stored',
    webLoginNone: 'none',
  },
  inventory: {
    emptyTitle: 'This site has not reported yet',
    empty: 'Its inventory is unknown. Sync the site to check for updates and get a report.',
    plugins: 'Plugins',
    themes: 'Themes',
    core: 'Core',
    pluginCount: (plugins: number) => count(plugins, 'plugin'),
    themeCount: (themes: number) => count(themes, 'theme'),
    plugin: 'Plugin',
    theme: 'Theme',
    state: 'State',
    version: 'Version',
    actions: 'Actions',
    active: 'Active',
    inactive: 'Inactive',
    arrow: '→',
    /** Screen readers read this in place of the arrow. */
    updateTo: ', can be updated to ',
  },
  plugin: {
    managed: 'The panel needs this plugin. Change it on the site.',
    update: 'Update',
    activate: 'Activate',
    deactivate: 'Deactivate',
    buttonLabel: (action: string, plugin: string) => `${action} ${plugin}`,
    more: (plugin: string) => `More actions for ${plugin}`,
    openDelete: 'Delete plugin…',
    inProgress: {
      update: 'Updating…',
      activate: 'Activating…',
      deactivate: 'Deactivating…',
      delete: 'Deleting…',
    },
    done: (plugin: string, action: keyof typeof done) => `${plugin} ${done[action]}.`,
    checkPages: 'Open the site and check that its pages work.',
  },
  deletePlugin: {
    title: (plugin: string) => `Delete ${plugin}?`,
    confirm: 'Delete plugin',
    activeWarning:
      'The plugin is deactivated, then its files are deleted from the site. Most plugins also delete their settings and data. This cannot be undone.',
    inactiveWarning:
      'The files of the plugin are deleted from the site. Most plugins also delete their settings and data. This cannot be undone.',
    /** "Type <name> to confirm". */
    typeBefore: 'Type ',
    typeAfter: ' to confirm',
  },
  alarm: {
    dismiss: 'Dismiss alarm',
    dismissed: 'Alarm dismissed. It stays in the history of the site.',
    /** "<route> at <time>." */
    at: ' at ',
    /** Followed by the time. */
    found: 'Found',
  },
  endpoint: {
    title: 'This site asks to be called at another host',
    approve: 'Approve address',
    askOwner: 'An owner of the panel can approve it.',
    approved: 'The panel now calls the site at this address. Sync the site to test it.',
    /** "The panel will call the site at <host> and send …" */
    warningBefore: 'The panel will call the site at ',
    warningAfter: (site: string) =>
      ` and send its key to this host. Approve it only if this host belongs to ${site}.`,
  },
  webLogin: {
    title: 'Web server login',
    save: 'Save login',
    saved: 'The panel now sends this login with its calls. Sync the site to test it.',
    removed: 'Login removed.',
    note: 'For sites behind a password of their web server (HTTP basic authentication), such as staging sites. The login is stored encrypted and sent to this site only.',
    username: 'User name',
    password: 'Password',
    remove: 'Remove stored login',
  },
  tags: {
    label: 'Tags',
    placeholder: 'Add a tag, press Enter',
  },
  history: {
    label: 'History',
    empty: 'No history yet.',
    loadOlder: 'Load older history',
    thisSite: 'this site',
    theSite: 'The site',
    run: (runId: number) => `Run ${runId}`,
  },
} as const;
