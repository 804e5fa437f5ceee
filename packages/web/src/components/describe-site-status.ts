import { siteStatusMessages } from '../messages/site-status.ts';
import type { Look } from './light.tsx';

const LOOKS: Record<string, Look> = {
  alarm: 'bad',
  failing: 'bad',
  not_reachable: 'badHollow',
  updates: 'warn',
  stale: 'waiting',
  never_synced: 'unseen',
  up_to_date: 'good',
  remote_off: 'off',
  license_invalid: 'locked',
  deactivated: 'off',
};
const WORDS: Record<string, string> = siteStatusMessages.words;

/** A newer panel may send a status without a word here. The name of the status then serves as its word. */
export const describeSiteStatus = (status: string): { word: string; look: Look } => ({
  word: WORDS[status] ?? status.replaceAll('_', ' '),
  look: LOOKS[status] ?? 'off',
});
