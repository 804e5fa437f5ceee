import { count, formatNumber } from '../lib/format.ts';

/** The frame around every page: navigation, palette and error pages. */
export const appMessages = {
  productInitial: 'S',

  pages: {
    overview: 'Overview',
    sites: 'Sites',
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
    label: 'Find a site, software, tag, license, user, run or page',
    searching: 'Searching…',
    groups: {
      pages: 'Pages',
      sites: 'Sites',
      software: 'Software',
      tags: 'Tags',
      licenses: 'Licenses',
      users: 'Users',
      runs: 'Runs',
      actions: 'Actions',
    },
    run: (id: string) => `Run ${id}`,
    tagNote: (sites: number) => count(sites, 'site'),
    showUpdatableSites: 'Show sites with pending updates',
    createLicense: 'Create a license',
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
