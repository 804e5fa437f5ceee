import type { WatchState } from '@steward/contract';
import { count } from '../lib/format.ts';

/** What real requests say after an update, on the page of a run. */
export const watchMessages = {
  title: 'Since the update',
  states: {
    watching: 'Watching',
    healthy: 'Healthy',
    reported: 'Reported',
    troubled: 'Troubled',
    unknown: 'Unknown',
  } satisfies Record<WatchState, string>,
  watchesUntil: (time: string) => `Steward watches until ${time}.`,
  /** Of items without an error. */
  quiet: {
    watching: 'No new error reported so far.',
    healthy: 'No request ended in a new error.',
    unknown:
      'Steward cannot tell whether it works: the site sent no report, could not store all errors, or has another version now. Open the website and check it.',
  } as Partial<Record<WatchState, string>>,
  /** Of an item with an error. */
  failing: (state: WatchState, version: string, isCore: boolean) => {
    if (state === 'troubled') {
      return isCore
        ? `WordPress ${version} fails on requests of this site. A core update cannot be rolled back: restore a backup of the site, or quarantine ${version}, so that no other site installs it.`
        : `Version ${version} fails on requests of this site. Restore the previous version, or quarantine ${version}, so that no other site installs it. A restore does not change the database.`;
    }
    return `Visitors caused this error, and the site ${state === 'watching' ? 'has not reproduced it yet' : 'did not reproduce it'}. Open the website and check it. An error that is not confirmed halts and restores nothing.`;
  },
  through: (item: string, through: string) => `The error is in ${item}, called through ${through}.`,
  restored: (version: string | null) =>
    `A rule restored ${version ?? 'the saved version'}. The database stays as it is.`,
  viewRestoreRun: 'View restore run',
  restore: (version: string | null) =>
    version === null ? 'Restore previous version…' : `Restore ${version}…`,
  quarantine: (version: string) => `Quarantine ${version}…`,
  askOwner: 'Ask an owner to quarantine this version.',
  quarantineReason: (message: string, place: string) =>
    `Fails on real requests: ${message} in ${place}`,
  /** In the sentence about a finished run. */
  troubledSites: (sites: number) => `${count(sites, 'site')} troubled since the update`,
} as const;
