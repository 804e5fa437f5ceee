import { hash } from 'node:crypto';
import {
  CALL_LOG_REPORT_MAX,
  type CallLogEntry,
  type CallLogReport,
  loggedCallText,
} from '@steward/contract';

type Position = { sequence: number; hash: string };

/** The last entry of a site's call log that the panel has accepted, and when. */
export type Acknowledged = Position & { at: Date };

export type CallLogVerdict = {
  acknowledged: Position | null;
  /** Calls that the panel did not make, oldest first. */
  foreign: CallLogEntry[];
  /** The log does not continue from the last accepted entry. */
  isChanged: boolean;
};

/**
 * A site may report from several requests at once, so reports can arrive out of order. A site waits 30 seconds for a
 * response, so an older log that arrives later than this was not overtaken: the log was rolled back.
 */
const OVERTAKEN_WITHIN_MS = 2 * 60 * 1000;

/** `known` is null before the first report; `report` is null if the site sent none that is valid. */
export function verifyCallLog(
  known: Acknowledged | null,
  report: CallLogReport | null,
  { isOwnCall, now }: { isOwnCall(entry: CallLogEntry): boolean; now: Date },
): CallLogVerdict {
  const unchanged = { acknowledged: known, foreign: [], isChanged: false };
  // The panel cannot verify calls from before the first report.
  if (known === null) return { ...unchanged, acknowledged: report?.head ?? null };
  if (report === null) return { ...unchanged, isChanged: true };
  const { head, after, entries } = report;
  if (head.sequence < known.sequence) {
    const isOvertaken = now.getTime() - known.at.getTime() < OVERTAKEN_WITHIN_MS;
    const foreign = entries.filter((entry) => !isOwnCall(entry));
    return isOvertaken
      ? { ...unchanged, foreign }
      : { acknowledged: head, foreign, isChanged: true };
  }
  // The panel was restored from a backup. Its response tells the site where to resume.
  if (after > known.sequence) return unchanged;

  const newEntries = entries.filter(({ sequence }) => sequence > known.sequence);
  const reached = followChain(known, newEntries);
  const isAtHead = reached.sequence === head.sequence;
  const isComplete = isAtHead ? reached.hash === head.hash : entries.length === CALL_LOG_REPORT_MAX;
  const isChanged = !isComplete || reached.count < newEntries.length;
  return {
    // The panel raises one alarm and accepts the log as it is now.
    acknowledged: isChanged ? (newEntries.at(-1) ?? head) : reached,
    foreign: newEntries.filter((entry) => !isOwnCall(entry)),
    isChanged,
  };
}

/** Finds the last entry up to which every hash matches. */
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
