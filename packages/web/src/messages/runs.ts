import { count, formatDuration, formatNumber } from '../lib/format.ts';

const inProgress: Record<string, string> = {
  sync: 'Syncing',
  update: 'Updating',
  install: 'Installing',
  restore: 'Restoring',
  self_update: 'Updating the Steward plugin',
  activate: 'Activating',
  deactivate: 'Deactivating',
  delete: 'Deleting',
};
const done: Record<string, string> = {
  sync: 'Synced',
  update: 'Updated',
  install: 'Installed',
  restore: 'Restored',
  self_update: 'Updated the Steward plugin',
  activate: 'Activated',
  deactivate: 'Deactivated',
  delete: 'Deleted',
};

const nouns: Record<string, string> = {
  update: 'update',
  install: 'installation',
  restore: 'restore',
  self_update: 'update',
};

/** The runs page and the page of a run. */
export const runsMessages = {
  list: {
    title: 'Runs',
    history: 'Update and sync history',
    ownHistory: 'Update and sync history of your sites',
    running: (runs: number) => `${formatNumber(runs)} running`,
    /** Followed by the time. */
    startedBy: (starter: string) => `${starter}, `,
    loadOlder: 'Load older runs',
    emptyTitle: 'No runs yet',
    emptyForManagers: 'Select sites and update or sync them. Results appear here live.',
    emptyForViewers:
      'Runs on your sites appear here. The history of a site shows what happened on it.',
    goToSites: 'Go to sites',
  },
  titles: {
    on: (action: string, place: string) => `${action} on ${place}`,
    sites: (sites: number) => count(sites, 'site'),
    update: (items: string) => `Update ${items}`,
    updateOf: (site: string) => `Update of ${site}`,
    syncOf: (site: string) => `Sync of ${site}`,
    install: (items: string) => `Install ${items}`,
    restore: (items: string) => `Restore ${items}`,
    selfUpdate: 'Update the Steward plugin',
    singleItems: 'Installs only the selected updates',
  },
  items: { count: (items: number) => count(items, 'item'), and: ' and ' },
  starter: {
    panel: 'Steward',
    you: 'you',
    unknown: 'an unknown user',
    other: 'another user',
    withToken: (user: string, token: string) => `${user} (token ${token})`,
  },
  page: {
    title: 'Run',
    noun: 'run',
    notFoundReason:
      'The link may be wrong, or this run has none of your sites. Ask an owner for access to them.',
    tabTitle: (percent: string, title: string) => `${percent} · ${title}`,
    sites: 'Sites of this run',
    noSites: 'This run has no sites.',
    noSiteWithOutcome: 'No site has this outcome.',
  },
  facts: {
    onlyYourSites: 'You see only your sites. To repeat it, start a new run on them.',
    started: (what: string, starter: string) => `${what}. Started by ${starter}, `,
    /** Followed by the name of the schedule, which is a link. */
    startedBySchedule: { before: (what: string) => `${what}. Started by schedule `, after: ', ' },
    retryOf: { before: ', as a retry of ', link: 'an earlier run' },
    finished: (durationMs: number) => `Finished after ${formatDuration(durationMs)}.`,
    cancelled: (durationMs: number) => `Cancelled. Finished after ${formatDuration(durationMs)}.`,
    progress: (percent: string, elapsedMs: number) =>
      `${percent} after ${formatDuration(elapsedMs)}`,
    remaining: (leastMs: number, mostMs: number) =>
      `about ${formatDuration(leastMs)} to ${formatDuration(mostMs)} left`,
    retrying: (sites: number) =>
      `${count(sites, 'site was', 'sites were')} busy or did not respond: Steward calls ${sites === 1 ? 'it' : 'them'} again soon`,
    lastSites: (sites: number) =>
      `Waiting for the last ${sites === 1 ? 'site' : count(sites, 'site')}`,
    rollout: { before: ' Part of the rollout ', ring: (ring: string) => `, ring “${ring}”.` },
    cancelling: 'Cancelled. Waiting for the sites that are already in progress.',
    verifying: (sites: number) =>
      `Verifying ${count(sites, 'site')}: no valid response arrived, so Steward is checking what was changed`,
    connectionLost: ' Connection to Steward lost. The run continues. Reconnecting…',
  },
  actions: {
    cancel: 'Cancel run',
    cancelTitle: 'Cancel this run?',
    keepRunning: 'Keep running',
    queuedNotChanged: (sites: number) => `${count(sites, 'queued site')} will not be changed.`,
    startedFinish: (sites: number) =>
      `${count(sites, 'site is', 'sites are')} in progress and will finish. Stopping an update halfway can break a site.`,
    doneStays: 'Completed changes are kept.',
    retry: (sites: number) => `Retry ${count(sites, 'site')}`,
    retryTitle: 'Retry now?',
    retryNow: 'Retry now',
    outsideWindow: (sites: number, schedule: string) =>
      `Steward calls ${count(sites, 'site')} now, even outside of the window of ${schedule}.`,
    nextWindow: 'Without a retry, the schedule tries again in its next window, if there is one.',
    sync: (sites: number) => `Sync ${sites === 1 ? 'this site' : `these ${count(sites, 'site')}`}`,
    retryThese: (sites: number) =>
      sites === 1 ? 'Retry 1 site' : `Retry these ${count(sites, 'site')}`,
    runRetriedByOwner: 'An owner has retried this run.',
    retriedByOwner: 'Retried by an owner.',
    retriedIn: (runId: number) => `Retried in run ${runId}`,
  },
  /** One sentence for a finished run with several sites. */
  outcome: {
    done: (action: string, sites: number, total: number) =>
      `${action === 'sync' ? 'Synced' : `${done[action] ?? 'Done'} on`} ${formatNumber(sites)} of ${count(total, 'site')}`,
    unchanged: (sites: number) => `${formatNumber(sites)} without changes`,
    rolledBack: (sites: number) => `${formatNumber(sites)} rolled back`,
    reason: (reason: string) => `Reason: ${reason}`,
    manyReasons: 'The reasons differ: see the sites below.',
    mainReason: (sites: number, reason: string) =>
      `Most frequent reason (${count(sites, 'site')}): ${reason}`,
  },
  group: {
    title: (sites: number, reason: string) => `${count(sites, 'site')}: ${reason}`,
    /** Replaces the name of a site in the reason of a group. */
    anySite: '…',
  },
  filter: { label: 'Filter by outcome', all: 'All' },
  task: {
    held: (name: string, version: string) => `${name} ${version} was not installed.`,
    moreHeld: (items: number) => `${count(items, 'more item')} held.`,
    inProgress: (action: string, what?: string) =>
      `${inProgress[action] ?? 'Running'}${what ? ` ${what}` : ''}…`,
    done: (action: string) => done[action] ?? 'Done',
    lostResponse: 'No valid response arrived. Steward is checking what was changed',
    unverified: (summary: string) => `${summary}; result not fully verified`,
    compared: (summary: string, pages: number) => `${summary}, ${count(pages, 'page')} compared`,
    partly: (summary: string, failed: number) => `${summary}, ${formatNumber(failed)} failed`,
    withCause: (summary: string, cause: string) => `${summary}: ${cause}`,
    cancelled: 'Cancelled before it started',
    changed: (action: string, items: string) => `${done[action] ?? 'Changed'} ${items}`,
    plugins: (plugins: number) => count(plugins, 'plugin'),
    themes: (themes: number) => count(themes, 'theme'),
    core: 'core',
    nothingPending: 'Already up to date',
    nothingChanged: 'Already installed',
    someFailed: (action: string, failed: number, total: number) =>
      `${formatNumber(failed)} of ${count(total, nouns[action] ?? 'item')} failed.`,
    allFailed: (action: string, failed: number) =>
      `${count(failed, nouns[action] ?? 'item')} failed.`,
    queuedReason: 'Waits for other sites, or for another action on this site',
    queued:
      'Queued. Waits for other sites, or for another action on this site. If nothing changes for minutes, ask an owner to check that a worker is running.',
    retrying: 'The site was busy or did not respond. Steward calls it again soon.',
    retryingDetails:
      'The site was busy or did not respond, and nothing was changed. Steward calls it again soon. To leave the site as it is, cancel the run.',
    windowOpens: (opening: string) => `Waits for its window, which opens ${opening} (your time)`,
    waitingForWindow: (opening: string) =>
      `Waits for its window, which opens ${opening} (your time). Cancel the run, or disable its schedule, to leave the site as it is.`,
    running: 'In progress. The result appears here.',
    loadingDetails: 'Loading details…',
    items: 'Items',
    plugin: 'Plugin',
    theme: 'Theme',
    coreItem: 'Core',
    translations: 'Translations',
    arrow: '→',
    /** Screen readers read this in place of the arrow. */
    updatedTo: ' changed to ',
    itemDone: { install: 'Installed', restore: 'Restored' } as Record<string, string>,
    itemUpdated: 'Updated',
    itemUnverified: 'Unverified',
    itemFailed: 'Failed',
    itemRolledBack: 'Rolled back',
    itemUnchanged: 'Already installed',
    /** The version of a failed item. It differs from the old one if a broken update was not rolled back. */
    currentVersion: (version: string, oldVersion: string | undefined) => {
      if (version === '') return 'not on the site';
      return oldVersion === undefined || oldVersion === version
        ? `still ${version}`
        : `now ${version}`;
    },
    warning: 'Warning',
    rawResponse: 'Raw response',
  },
} as const;
