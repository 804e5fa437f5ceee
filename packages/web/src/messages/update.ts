import { count, formatNumber } from '../lib/format.ts';

/** The dialog that shows the effect of an update before it starts. */
export const updateMessages = {
  title: 'Update sites',
  /** Without a number: while the panel counts, and if nothing can be updated. */
  open: 'Update sites',
  start: (sites: number) => (sites === 0 ? 'Update sites' : `Update ${count(sites, 'site')}`),
  nothingToUpdate: 'No update is pending. Sync to check for new updates.',
  blocked: (reason: string) => `Nothing can be updated: ${reason}`,
  leftOut: (sites: number, reason: string) => `${count(sites, 'site')}: ${reason}`,
  leavesOut: (groups: string[]) => `Leaves out ${groups.join(' ')}`,
  heldByRule: 'held by a rule or a quarantine',
  nothingPending: 'There is no update to install on these sites.',
  onSites: (sites: number) => `On ${count(sites, 'site')}, based on the last reports:`,
  counts: {
    plugins: (updates: number) => count(updates, 'plugin update'),
    themes: (updates: number) => count(updates, 'theme update'),
    core: (updates: number) => count(updates, 'core update'),
  },
  note: 'The run continues when you close this page. A plugin or theme that breaks a site is rolled back.',
  coreNote: 'A core update cannot be rolled back. Back up each site first.',
  alsoUpdate: (sites: number) =>
    `Also check ${count(sites, 'site')} without pending updates, and install new updates found there`,
  alsoUpdateNote:
    'Rules and quarantined versions can prevent this: a site then only reports its new updates, or is refused.',
  notFound: (sites: number) =>
    `${count(sites, 'selected site was', 'selected sites were')} not found: you have no access to ${sites === 1 ? 'it' : 'them'}.`,
  choose: {
    groups: { plugin: 'Plugins', theme: 'Themes' },
    coreLegend: 'Core: cannot be rolled back',
    toggleGroup: (group: string) => `All ${group.toLowerCase()}`,
    versions: (versions: string[]) =>
      versions.length <= 2 ? versions.join(', ') : `${versions.length} versions`,
    sites: (sites: number) => count(sites, 'site'),
    nothingChosen: 'Choose at least one update.',
    allHeld:
      'Rules hold all of these updates, so there is nothing to install. Each line names its rule: change the rule to install the update.',
    /** Sites with an allowed update that the user has not chosen, such as sites with only a core update. */
    notChosen: (sites: number) =>
      `${count(sites, 'site is', 'sites are')} left out because none of ${sites === 1 ? 'its' : 'their'} updates is chosen.`,
    showSites: (sites: number) => `${count(sites, 'site')} will be updated`,
    includeSite: (site: string) => `Update ${site}`,
  },
  skipped: (sites: number) => `${count(sites, 'site')} skipped`,
  skipReasons: {
    deactivated: 'disconnected from its license',
    license_invalid: 'license not valid',
    remote_off:
      'remote management off: turn it on in the plugin’s settings and sync the site, or use a license that includes Remote',
    key_expired: 'old license key has expired: enter the new key on the site',
    items_unsupported:
      'Steward plugin too old to install only selected updates: update the plugin first, or install all updates of this site in a separate run',
  },
  invalidLicenses: (sites: number) =>
    `The license of ${count(sites, 'site')} is suspended or has expired. An owner can resume or extend it.`,
  showUnlicensed: 'Show these sites',
  moreSkipped: (sites: number) => `and ${formatNumber(sites)} more`,
} as const;
