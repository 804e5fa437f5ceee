import { count, formatNumber } from '../lib/format.ts';

/** The frame around every page: navigation, palette and error pages. */
export const appMessages = {
  pages: {
    overview: 'Overview',
    sites: 'Sites',
    clients: 'Clients',
    software: 'Software',
    runs: 'Runs',
    rollouts: 'Rollouts',
    licenses: 'Licenses',
    audit: 'Audit log',
    users: 'Users',
    rules: 'Rules',
    schedules: 'Schedules',
    notifications: 'Notifications',
    services: 'Services',
    backups: 'Backups',
    account: 'Your account',
  },

  navigation: {
    label: 'Main',
    settings: 'Settings',
    searchEverything: 'Search everything',
    paletteKeys: (isMac: boolean) => `${isMac ? '⌘' : 'Ctrl'} K`,
    accountOf: (name: string) => `Account of ${name}`,
  },

  /** Here and not in runs.ts, because the navigation shows it before runs.ts is loaded. */
  runBadge: {
    percent: (percent: number) => `${percent} %`,
    done: (sites: number, total: number) =>
      `${formatNumber(sites)} of ${formatNumber(total)} sites done`,
    others: (runs: number) => `, and ${count(runs, 'more run')} in progress`,
    linkLabel: (percent: string, progress: string) =>
      `Open the latest run: ${percent}, ${progress}`,
  },

  frame: {
    skipToContent: 'Skip to content',
    openMenu: 'Open menu',
    closeMenu: 'Close menu',
  },

  switchColorScheme: {
    light: 'Switch to light mode',
    dark: 'Switch to dark mode',
  },

  palette: {
    label: 'Find a site, client, software, tag, license, user, run, setting or page',
    searching: 'Searching…',
    groups: {
      pages: 'Pages',
      settings: 'Settings',
      sites: 'Sites',
      clients: 'Clients',
      software: 'Software',
      tags: 'Tags',
      licenses: 'Licenses',
      users: 'Users',
      runs: 'Runs',
      actions: 'Actions',
    },
    /** By the id of the setting. Users search for words of the label and for these keywords. */
    settings: {
      profile: { label: 'Name and e-mail address', note: 'Your account', keywords: 'profile' },
      password: { label: 'Password', note: 'Your account', keywords: 'change sign-in login' },
      'second-factor': {
        label: 'Second factor',
        note: 'Your account',
        keywords:
          '2fa mfa two-factor authentication authenticator totp otp passkey webauthn backup codes security',
      },
      sessions: { label: 'Sessions', note: 'Your account', keywords: 'devices browsers sign out' },
      'access-tokens': {
        label: 'Access tokens',
        note: 'Your account',
        keywords: 'api keys bearer curl script automation',
      },
      'e-mails': {
        label: 'Notifications by e-mail',
        note: 'Notifications',
        keywords: 'emails mail alerts summary daily smtp',
      },
      'mail-server': {
        label: 'Mail server',
        note: 'Notifications',
        keywords: 'smtp email test sender working',
      },
      channels: {
        label: 'Notification channels',
        note: 'Notifications',
        keywords: 'webhooks slack alerts url',
      },
      deliveries: {
        label: 'Delivery log',
        note: 'Notifications',
        keywords: 'sent messages notifications webhooks failed',
      },
      quarantine: { label: 'Quarantined versions', note: 'Rules', keywords: 'quarantine block' },
      plans: { label: 'Plans', note: 'Services', keywords: 'licenses site limit' },
      'require-second-factor': {
        label: 'Require a second factor',
        note: 'Users',
        keywords: '2fa mfa two-factor authentication all users security enforce',
      },
      'time-zone': {
        label: 'Time zone of a schedule',
        note: 'Schedules',
        keywords: 'timezone hours window maintenance',
      },
      backups: {
        label: 'Backups of the panel',
        note: 'Backups',
        keywords: 'backup back up now download restore export database',
      },
    },
    run: (id: string) => `Run ${id}`,
    siteCount: (sites: number) => count(sites, 'site'),
    showUpdatableSites: 'Show sites with pending updates',
    connectSites: 'Connect sites',
    openApi: 'Description of the API',
    keywords: {
      connect: 'add new site import mainwp csv enrolment code plugin zip',
      license: 'add new license key',
      invite: 'add new user manager team',
      api: 'openapi rest developer docs',
    },
    createLicense: 'Create a license',
    createClient: 'Create a client',
    inviteUser: 'Invite a user',
    showShortcuts: 'Show keyboard shortcuts',
    signOut: 'Sign out',
  },

  shortcuts: {
    title: 'Keyboard shortcuts',
    everywhere: 'Everywhere',
    showHelp: 'Show this list',
    goTo: 'Go to',
    siteList: 'Site list',
    siteListKeys: [
      [['/'], 'Search sites'],
      [['↑', '↓'], 'Move between sites'],
      [['Enter'], 'Open the site'],
    ],
    siteSelectionKeys: [
      [['Space'], 'Select the site'],
      [['Shift', 'Space'], 'Select a range'],
      [['Esc'], 'Clear the selection'],
    ],
  },

  pageNotFound: {
    title: 'Page not found',
    description: 'The link may be outdated, or the page was removed.',
    goToOverview: 'Go to the overview',
  },
} as const;
