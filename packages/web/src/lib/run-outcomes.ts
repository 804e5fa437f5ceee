import type { Look } from '../components/light.tsx';
import { count, formatNumber } from './format.ts';
import type { Run, Task } from './runs-api.ts';

/**
 * What is shown of a task's status. `finding_out` is an `unknown` that is still being looked up, so
 * that nobody takes it for an end.
 */
export const OUTCOMES = [
  'failed',
  'partial',
  'unverified',
  'unknown',
  'finding_out',
  'refused',
  'running',
  'succeeded',
  'cancelled',
  'queued',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** In `OUTCOMES` what needs somebody comes first; in the bar, what is done. */
export const BAR_ORDER: readonly Outcome[] = [
  'succeeded',
  'unverified',
  'partial',
  'failed',
  'unknown',
  'refused',
  'cancelled',
  'finding_out',
  'running',
  'queued',
];

export const WORDS: Record<Outcome, { word: string; look: Look; color: string }> = {
  succeeded: { word: 'Done', look: 'good', color: 'good' },
  partial: { word: 'Partly done', look: 'warn', color: 'warn' },
  failed: { word: 'Failed', look: 'bad', color: 'bad' },
  unverified: { word: 'Unverified', look: 'warn', color: 'warn' },
  unknown: { word: 'Unknown', look: 'badHollow', color: 'bad' },
  finding_out: { word: 'Finding out', look: 'running', color: 'accent' },
  refused: { word: 'Refused', look: 'locked', color: 'idle' },
  cancelled: { word: 'Cancelled', look: 'off', color: 'idle' },
  running: { word: 'Running', look: 'running', color: 'accent' },
  queued: { word: 'Waiting', look: 'waiting', color: 'line' },
};

export function outcomeOf({ status, finished_at }: Pick<Task, 'status' | 'finished_at'>): Outcome {
  return status === 'unknown' && finished_at === null ? 'finding_out' : status;
}

export type OutcomeCounts = Partial<Record<Outcome, number>>;

/**
 * The panel counts by status; which of the unknown are still open, only the tasks tell. Without them
 * all are taken for open while the run goes on.
 */
export function countOutcomes(run: Run, tasks?: Iterable<Task>): OutcomeCounts {
  const { counts, status } = run;
  const unknown = counts.unknown ?? 0;
  if (status === 'finished') return { ...counts };
  if (!tasks) return { ...counts, unknown: 0, finding_out: unknown };
  let seen = 0;
  for (const task of tasks) if (outcomeOf(task) === 'finding_out') seen++;
  const findingOut = Math.min(seen, unknown);
  return { ...counts, unknown: unknown - findingOut, finding_out: findingOut };
}

const OPEN: readonly Outcome[] = ['finding_out', 'running', 'queued'];
const TO_RETRY: readonly Outcome[] = ['failed', 'partial', 'unknown', 'cancelled'];

const sum = (counts: OutcomeCounts, outcomes: readonly Outcome[]) =>
  outcomes.reduce((total, outcome) => total + (counts[outcome] ?? 0), 0);
export const openOf = (counts: OutcomeCounts) => sum(counts, OPEN);
/** A site whose license was not valid may have another one by now; one that is not there never has. */
export const isRetriable = (task: Pick<Task, 'status' | 'finished_at' | 'code'>) =>
  TO_RETRY.includes(outcomeOf(task)) || task.code === 'site_not_active';

export const percentDone = (total: number, open: number) =>
  total === 0 ? 100 : Math.floor(((total - open) / total) * 100);

const ACTION_WORDS: Record<string, string> = {
  update: 'Update',
  activate: 'Activate',
  deactivate: 'Deactivate',
  delete: 'Delete',
};

/** What a run does, as its title. */
export function titleOf({ kind, request, total }: Run): string {
  if (kind === 'update') return `Update of ${count(total, 'site')}`;
  if (kind === 'sync') return `Sync of ${count(total, 'site')}`;
  return `${ACTION_WORDS[request.action ?? ''] ?? 'Action on'} ${request.plugin ?? 'a plugin'}`;
}

const EXPLAINED = {
  update: 'All pending updates of plugins, themes and core',
  sync: 'Each site looks for updates and reports what it has',
  plugin_action: 'One action on one plugin',
} as const;
export const explain = ({ kind }: Run): string => EXPLAINED[kind];

/** "310 done, 2 failed", in the order in which somebody wants to know. */
export function summaryOf(counts: OutcomeCounts): string {
  return BAR_ORDER.filter((outcome) => (counts[outcome] ?? 0) > 0)
    .map((outcome) => `${formatNumber(counts[outcome] ?? 0)} ${WORDS[outcome].word.toLowerCase()}`)
    .join(', ');
}

/** The run as a whole, in one word. */
export function standing(run: Run, counts: OutcomeCounts): { look: Look; word: string } {
  if (run.status === 'running') {
    return { look: 'running', word: `${percentDone(run.total, openOf(counts))} %` };
  }
  if (run.success) return { look: 'good', word: 'Done' };
  if (run.cancelled_at !== null) return { look: 'off', word: 'Cancelled' };
  const { succeeded = 0, partial = 0, unverified = 0 } = counts;
  if (unverified > 0 && succeeded + unverified === run.total) {
    return { look: 'warn', word: 'Unverified' };
  }
  if (succeeded + partial + unverified > 0) return { look: 'warn', word: 'In part' };
  return { look: 'bad', word: 'Failed' };
}
