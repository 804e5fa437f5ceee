import { siteStatusMessages } from '../messages/site-status.ts';
import type { StatusKind } from './status-label.tsx';

const KINDS: Record<string, StatusKind> = {
  alarm: 'bad',
  failing: 'bad',
  not_reachable: 'badHollow',
  updates: 'pending',
  stale: 'waiting',
  never_synced: 'empty',
  up_to_date: 'good',
  remote_off: 'off',
  license_invalid: 'locked',
  deactivated: 'off',
};
const WORDS: Record<string, string> = siteStatusMessages.words;

/** A newer panel may send a status that has no word here; then the name of the status is shown. */
export const describeSiteStatus = (status: string): { word: string; kind: StatusKind } => ({
  word: WORDS[status] ?? status.replaceAll('_', ' '),
  kind: KINDS[status] ?? 'off',
});
