import { hash } from 'node:crypto';
import {
  CALL_LOG_REPORT_MAX,
  type CallLogEntry,
  type CallLogReport,
  textOfLoggedCall,
} from '@steward/contract';

type Position = { sequence: number; hash: string };

/** How far the panel has the log of a site, and since when. */
export type Acknowledged = Position & { at: Date };

export type Judgement = {
  acknowledged: Position | null;
  /** Calls that the panel did not make, the oldest first. */
  foreign: CallLogEntry[];
  /** The log does not go on where the panel knows it to be. */
  isChanged: boolean;
};

/**
 * A site reports from several requests at once, and one report may overtake another. Sites wait 30 seconds for an
 * answer, so a report that is later than this was not overtaken: the log has gone back.
 */
const OVERTAKEN_WITHIN_MS = 2 * 60 * 1000;

/** What a report of the log says. Null: it is none, or the panel does not know the log yet. */
export function judgeCallLog(
  known: Acknowledged | null,
  report: CallLogReport | null,
  { isOwnCall, now }: { isOwnCall(entry: CallLogEntry): boolean; now: Date },
): Judgement {
  const nothing = { acknowledged: known, foreign: [], isChanged: false };
  // Calls from before the panel knew of the log cannot be judged.
  if (known === null) return { ...nothing, acknowledged: report?.head ?? null };
  if (report === null) return { ...nothing, isChanged: true };
  const { head, after, entries } = report;
  if (head.sequence < known.sequence) {
    const isOvertaken = now.getTime() - known.at.getTime() < OVERTAKEN_WITHIN_MS;
    const foreign = entries.filter((entry) => !isOwnCall(entry));
    return isOvertaken ? { ...nothing, foreign } : { acknowledged: head, foreign, isChanged: true };
  }
  // The panel was restored from a backup: the answer tells the site from where on to report again.
  if (after > known.sequence) return nothing;

  const news = entries.filter(({ sequence }) => sequence > known.sequence);
  const reached = followChain(known, news);
  const isAtHead = reached.sequence === head.sequence;
  const isComplete = isAtHead ? reached.hash === head.hash : entries.length === CALL_LOG_REPORT_MAX;
  const isChanged = !isComplete || reached.count < news.length;
  return {
    // An alarm is raised once. From here on the log counts as it is now.
    acknowledged: isChanged ? (news.at(-1) ?? head) : reached,
    foreign: news.filter((entry) => !isOwnCall(entry)),
    isChanged,
  };
}

/** As far as each entry follows on the one before it. */
function followChain(start: Position, entries: CallLogEntry[]): Position & { count: number } {
  let { sequence, hash: previous } = start;
  let count = 0;
  for (const entry of entries) {
    const isNext = entry.sequence === sequence + 1;
    const text = textOfLoggedCall(previous, entry);
    if (!isNext || hash('sha256', text, 'hex') !== entry.hash) break;
    ({ sequence, hash: previous } = entry);
    count++;
  }
  return { sequence, hash: previous, count };
}
