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
    noun: 'site',
    notFoundReason: 'The link may be wrong, or you do not have access to this site.',
    history: 'History',
    versionChanges: 'Version history',
    versionChangesNote:
      'All version changes that the site reported, including changes made outside Steward. In the first report, “added” means that the item was already installed.',
    historyNote: 'Actions on this site.',
  },
  actions: {
    sync: 'Sync now',
    synced: (site: string) => `Synced ${site}.`,
    updateAll: (updates: number) => `Update all (${formatNumber(updates)})`,
  },
  facts: {
    cms: 'CMS',
    plugin: 'Steward plugin',
    environment: 'Environment',
    counted: 'Counts toward site limit',
    countedYes: 'yes',
    countedNo: 'no (local or staging address)',
    countedDisconnected: 'no (disconnected)',
    lastCheck: 'Last license check-in',
    lastReport: 'Last inventory report',
    license: 'License',
    /** Follows the name. A revoked license has no expiry any more. */
    licenseState: ({ status, expires_at }: { status: string; expires_at: string | null }) => {
      if (status === 'revoked' || status === 'suspended') return `, ${status}`;
      return expires_at === null ? '' : `, until ${formatDay(expires_at)}`;
    },
    key: 'Key',
    siteKey: 'its own: a new license key does not affect this site',
    sharedKey: 'shared license key',
    oldKeyEnded: (endsAt: string) => `old license key, expired ${formatDay(endsAt)}`,
    oldKeyEnds: (endsAt: string) => `old license key, expires ${formatDay(endsAt)}`,
    address: 'Address',
    proven: 'proven: the site answered Steward at this address',
    newAddressNotProven: (endpointUrl: string, reason: string | null) =>
      `proven. The site wants calls at ${endpointUrl}. This new address is not proven yet, so Steward calls the site at its previous address.${reason === null ? '' : ` ${reason}`}`,
    notProven:
      'not proven yet: Steward has not reached the site at this address. It tries again when the site checks in.',
    notProvenBecause: (reason: string) =>
      `not proven: Steward could not check this address. ${reason} Steward tries again when the site checks in.`,
    connectAgain:
      'not proven: the site has no key of its own, so Steward cannot check the address. Update the Steward plugin or enable the PHP extension sodium, then connect the site again.',
    encryption: 'Encryption',
    noEncryption: 'none: Steward calls the site over http. Move the site to https',
    pagesNotEncrypted: 'none for its pages. Move the site to https',
    unsignedCalls: 'Unsigned calls',
    unsignedAccepted:
      'accepted from any client with the site key. To stop this, press “Refuse unsigned calls” in the plugin’s settings',
    webLogin: 'HTTP basic authentication',
    webLoginStored: 'stored',
    webLoginNone: 'none',
    checkedPages: 'Pages to check',
    checkedPagesCount: (pages: number) =>
      pages === 0 ? 'chosen by the site' : `chosen by the site, and ${count(pages, 'marked page')}`,
  },
  inventory: {
    emptyTitle: 'This site has not reported yet',
    empty: 'Sync the site to see its plugins, themes and core version, and to check for updates.',
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
    update: 'Update',
    cannotChoose:
      'The Steward plugin on this site is too old to update single items. Update the Steward plugin first.',
    updateItem: (item: string) => `Update ${item}`,
  },
  plugin: {
    managementPlugin: 'Steward needs this plugin. Here you can only update it.',
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
    pagesCompared: (pages: number) => `${count(pages, 'page')} compared.`,
  },
  deletePlugin: {
    title: (plugin: string) => `Delete ${plugin}?`,
    confirm: 'Delete plugin',
    activeWarning:
      'Steward deactivates the plugin, then deletes its files from the site. Most plugins also delete their settings and data. This cannot be undone.',
    inactiveWarning:
      'Steward deletes the files of the plugin from the site. Most plugins also delete their settings and data. This cannot be undone.',
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
    raised: 'Alarm raised',
  },
  endpoint: {
    title: 'This site wants Steward to call it at a different address',
    approve: 'Approve address',
    askOwner: 'Ask an owner to approve this address.',
    approved:
      'Address approved. Steward calls the site there after a proof of address. Sync the site to test it.',
    /** "Steward will call the site at <address> and send …" */
    warningBefore: 'Steward will call the site at ',
    warningAfter: (site: string, hasWebLogin: boolean) =>
      ` and send the site’s key${hasWebLogin ? ' and its HTTP basic authentication login' : ''} to this address. Approve it only if this address belongs to ${site}.`,
  },
  webLogin: {
    title: 'HTTP basic authentication',
    save: 'Save login',
    saved: 'Steward now sends this login with its calls. Sync the site to test it.',
    removed: 'Login removed.',
    note: 'For sites whose web server asks for a password, such as staging sites. Steward stores the login encrypted and sends it only to this site, and to another address only if an owner approved that address for the site.',
    username: 'User name',
    password: 'Password',
    remove: 'Remove stored login',
  },
  tags: {
    label: 'Tags',
    placeholder: 'Add a tag, press Enter',
  },
  versionChanges: {
    label: 'Version history',
    show: 'Show version history',
    emptyTitle: 'This site has not reported any versions yet.',
    empty: 'Sync the site. Later changes of its versions appear here.',
    loadOlder: 'Load older changes',
    change: (oldVersion: string | null, newVersion: string | null) =>
      oldVersion === null
        ? `${newVersion} added`
        : newVersion === null
          ? `${oldVersion} removed`
          : `${oldVersion} → ${newVersion}`,
  },
  history: {
    label: 'History',
    emptyTitle: 'No history yet.',
    empty: 'Each sync, update and change of this site appears here.',
    loadOlder: 'Load older history',
    siteAsObject: 'this site',
    siteAsActor: 'The site',
    run: (runId: number) => `Run ${runId}`,
  },
} as const;
