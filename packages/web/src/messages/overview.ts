import { STALE_AFTER_DAYS } from '@steward/contract';
import { count, formatNumber } from '../lib/format.ts';

type PendingCounts = { plugins: number; themes: number; core: number };

/** The overview page. */
export const overviewMessages = {
  title: 'Overview',
  noSites: 'No sites yet',
  sites: (sites: number) => count(sites, 'site'),
  noAccessTitle: 'You have no sites yet',
  noAccess:
    'Sites appear here when an owner of this panel gives you access. Ask the owner who invited you.',
  firstSite: { before: 'Your first site is connected: ', after: '.' },
  sections: {
    attention: 'Needs attention',
    updates: 'Updates in the last 30 days',
    versions: 'Versions in use',
    sites: 'Sites by status',
    runs: 'Latest runs',
  },
  attention: {
    none: 'Nothing needs your attention.',
    haltedRollout: (name: string) => `Rollout halted: ${name}.`,
    problems: {
      alarm: (sites: number) => `${count(sites, 'site has', 'sites have')} an alarm`,
      /** Sites that are not reachable have their own row, also if their last action failed. */
      failing: (sites: number, others: number) =>
        `The last action failed on ${others > 0 ? count(sites, 'reachable site') : count(sites, 'site')}`,
      not_reachable: (sites: number) => `${count(sites, 'site is', 'sites are')} not reachable`,
      stale: (sites: number) =>
        `No contact with ${count(sites, 'site')} for at least ${count(STALE_AFTER_DAYS, 'day')}`,
    },
    invalidLicenses: {
      sites: (sites: number) =>
        `The license of ${count(sites, 'site')} is suspended or has expired`,
      next: (isOwner: boolean) =>
        isOwner
          ? 'Open a site to resume or extend its license.'
          : 'Ask an owner to resume or extend it.',
    },
    licenses: {
      expire: (licenses: number) =>
        `${count(licenses, 'license expires', 'licenses expire')} within 30 days: `,
      /** The panel sends only the first licenses. */
      expireAtLeast: (licenses: number) =>
        `At least ${formatNumber(licenses)} licenses expire within 30 days: `,
      separator: ', ',
      more: (licenses: number) => `${formatNumber(licenses)} more`,
      moreAtLeast: (licenses: number) => `at least ${formatNumber(licenses)} more`,
    },
    olderStewardPlugin: (sites: number, version: string) =>
      `The Steward plugin on ${count(sites, 'site')} is older than ${version}, the version in this panel`,
    cannotSelectItems: (sites: number) =>
      `${count(sites, 'site has', 'sites have')} an old Steward plugin that can only install all updates at once. Update the plugin to choose single updates`,
    pending: (sites: number) => `Pending updates on ${count(sites, 'site')}`,
    /** "14 plugin updates, 1 theme update, 3 core updates", over all sites. */
    pendingCounts: ({ plugins, themes, core }: PendingCounts) =>
      [
        plugins > 0 && count(plugins, 'plugin update'),
        themes > 0 && count(themes, 'theme update'),
        core > 0 && count(core, 'core update'),
      ]
        .filter(Boolean)
        .join(', '),
    outdatedOn: (sites: number) => `outdated on ${count(sites, 'site')}`,
    sync: (sites: number) => `Sync ${count(sites, 'site')}`,
    viewPlugin: 'View plugin',
    /** For screen readers. It starts with the visible text. */
    viewPluginNamed: (name: string) => `View plugin ${name}`,
  },
  updates: {
    emptyTitle: 'No updates in the last 30 days.',
    empty: 'The results of updates appear here, day by day.',
    succeeded: (updates: number) => `${formatNumber(updates)} succeeded`,
    failed: (updates: number) => `${formatNumber(updates)} failed`,
    note: 'Plugins, themes and core. Updates on sites that did not respond are not counted: see the latest runs.',
    day: (day: string, { succeeded, failed }: { succeeded: number; failed: number }) =>
      `${day}: ${formatNumber(succeeded)} succeeded, ${formatNumber(failed)} failed`,
    tableCaption: 'Updates per day',
    columns: { day: 'Day', succeeded: 'Succeeded', failed: 'Failed' },
  },
  versions: {
    emptyTitle: 'No site has reported its versions yet.',
    empty: 'A sync reports them.',
    cms: 'CMS',
    php: 'PHP',
    others: (versions: number) => count(versions, 'other version'),
  },
  runs: {
    emptyTitle: 'No runs yet.',
    empty: 'An update or a sync of sites starts one.',
    all: 'All runs',
  },
  audit: {
    alarmTitle: 'Audit records may have been changed or removed',
    noticeTitle: 'The audit log needs maintenance',
    /** "Run <command> on the panel's server …" */
    runBefore: 'Run ',
    command: 'npx steward audit verify',
    runAfter: ' on the server of the panel for the full report.',
    viewLog: 'View audit log',
  },
  onboarding: {
    title: 'Connect your first site',
    text: 'Install the Steward plugin on the site. This page shows when the site has connected.',
    license: 'First create a license. It sets how many sites can connect.',
    createLicense: 'Create license',
  },
} as const;
