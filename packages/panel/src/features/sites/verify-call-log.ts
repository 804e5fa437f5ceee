import { hash } from 'node:crypto';
import {
  CALL_LOG_REPORT_MAX,
  type CallLogEntry,
  type CallLogReport,
  loggedCallText,
} from '@steward/contract';

type Position = { sequence: number; hash: string };

/** The last entry of a site's call log that the panel has acknowledged, and when. */
export type AcknowledgedEntry = Position & { at: Date };

export type CallLogVerdict = {
  acknowledged: Position | null;
  /** Calls that the panel did not expect, oldest first. */
  foreignCalls: CallLogEntry[];
  /** The log does not continue from the last acknowledged entry. */
  isChanged: boolean;
};

/**
 * Reports can arrive out of order, because a site may send several at once. A site waits at most 30 seconds for a
 * response. Two minutes after the panel acknowledged an entry, a report whose head is older than that entry is therefore
 * not late: the log was rolled back.
 */
const REORDER_WINDOW_MS = 2 * 60 * 1000;

/**
 * Compares a report with the last acknowledged entry. `previous` is null if the panel did not start the log: the site
 * had none when it got its key. `report` is null if the site sent an invalid report.
 */
export function verifyCallLog(
  previous: AcknowledgedEntry | null,
  report: CallLogReport | null,
  { isExpectedCall, now }: { isExpectedCall(entry: CallLogEntry): boolean; now: Date },
): CallLogVerdict {
  const samePosition = { acknowledged: previous, foreignCalls: [], isChanged: false };
  // Without a known start, the panel accepts the first head that the site reports.
  if (previous === null) return { ...samePosition, acknowledged: report?.head ?? null };
  if (report === null) return { ...samePosition, isChanged: true };
  const { head, after, entries } = report;
  if (head.sequence < previous.sequence) {
    const isLate = now.getTime() - previous.at.getTime() < REORDER_WINDOW_MS;
    const foreignCalls = entries.filter((entry) => !isExpectedCall(entry));
    return isLate
      ? { ...samePosition, foreignCalls }
      : { acknowledged: head, foreignCalls, isChanged: true };
  }
  // The panel was restored from a backup and misses entries. The response asks the site to send them again.
  if (after > previous.sequence) return samePosition;

  const newEntries = entries.filter(({ sequence }) => sequence > previous.sequence);
  const verified = followChain(previous, newEntries);
  const isAtHead = verified.sequence === head.sequence;
  // A report that does not reach the head must be full; the next one continues.
  const endsAsExpected = isAtHead
    ? verified.hash === head.hash
    : entries.length === CALL_LOG_REPORT_MAX;
  const isChanged = !endsAsExpected || verified.count < newEntries.length;
  return {
    // After a change, continue from the changed log, so that the next report raises no second alarm.
    acknowledged: isChanged ? (newEntries.at(-1) ?? head) : verified,
    foreignCalls: newEntries.filter((entry) => !isExpectedCall(entry)),
    isChanged,
  };
}

/** Returns the last entry up to which every hash matches, and the number of matching entries. */
function followChain(start: Position, entries: CallLogEntry[]): Position & { count: number } {
  let { sequence, hash: previous } = start;
  let count = 0;
  for (const entry of entries) {
    const isNext = entry.sequence === sequence + 1;
    const text = loggedCallText(previous, entry);
    if (!isNext || hash('sha256', text, 'hex') !== entry.hash) break;
    ({ sequence, hash: previous } = entry);
    count++;
  }
  return { sequence, hash: previous, count };
}
