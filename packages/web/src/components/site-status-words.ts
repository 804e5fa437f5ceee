import type { Look } from './light.tsx';

type Words = { word: string; look: Look };

/** How the state of a site is said and shown, everywhere alike. */
export const SITE_STATUS_WORDS: Record<string, Words> = {
  alarm: { word: 'alarm', look: 'bad' },
  failing: { word: 'failing', look: 'bad' },
  not_reachable: { word: 'not reachable', look: 'badHollow' },
  updates: { word: 'updates', look: 'warn' },
  stale: { word: 'silent', look: 'waiting' },
  never_synced: { word: 'never synced', look: 'unseen' },
  up_to_date: { word: 'up to date', look: 'good' },
  remote_off: { word: 'remote off', look: 'off' },
  license_invalid: { word: 'license not valid', look: 'locked' },
  deactivated: { word: 'deactivated', look: 'off' },
};

/** A panel may be newer than the page that is open: its own name for a state is better than none. */
export const siteStatusWords = (status: string): Words =>
  SITE_STATUS_WORDS[status] ?? { word: status.replaceAll('_', ' '), look: 'off' };
