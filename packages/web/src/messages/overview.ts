import { count } from '../lib/format.ts';

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
    sites: 'Sites',
    pending: 'Pending updates',
    outdated: 'Outdated plugins, by number of sites',
    runs: 'Latest runs',
    licenses: 'Licenses that expire soon',
  },
  pending: {
    none: 'All sites are up to date.',
    plugins: 'Plugins',
    themes: 'Themes',
    core: 'Core',
    show: (sites: number) => `Show ${count(sites, 'site')} with pending updates`,
  },
  outdated: { none: 'No plugin is outdated.' },
  runs: { none: 'No runs yet.', all: 'All runs' },
  licenses: {
    none: 'No license expires within the next 30 days.',
    more: (licenses: number) => `And ${count(licenses, 'more', 'more')}`,
  },
  audit: {
    alarmTitle: 'Audit records may have been changed or removed',
    noticeTitle: 'Check the audit log',
    /** "Run <command> on the panel's server …" */
    runBefore: 'Run ',
    command: 'npx steward audit verify',
    runAfter: ' on the server of the panel for the full report.',
    viewLog: 'View audit log',
  },
  onboarding: {
    done: 'Done:',
    licenseTitle: 'Create a license',
    license: 'A license sets how many sites can connect.',
    createLicense: 'Create license',
    /** The name of the license precedes. */
    licenseReady: ' is ready. Its key connects your sites.',
    pluginTitle: 'Install the plugin',
    plugin: 'The download is already set up for this panel.',
    connectTitle: 'Connect',
    /** "Paste the license key on the site and press <button>. …" */
    connectBefore: 'Paste the license key on the site and press ',
    connectButton: 'Connect',
    connectAfter: '. Another CMS? Install the Steward agent instead.',
    waiting: 'Waiting for your first site',
  },
} as const;
