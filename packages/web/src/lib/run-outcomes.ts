import type { StatusKind } from '../components/status-label.tsx';
import { outcomeMessages } from '../messages/outcomes.ts';
import { runsMessages } from '../messages/runs.ts';
import { describeItems, pluginName } from './run-items.ts';
import type { Run, Task } from './runs-api.ts';

/**
 * The outcomes of a task on the screens, the most urgent first. A task with the status `unknown` is shown as
 * `verifying` while the panel reconciles it, because its outcome is not final yet. A queued task whose site was called
 * before is shown as `retrying`.
 */
export const OUTCOMES = [
  'failed',
  'partial',
  'unverified',
  'unknown',
  'verifying',
  'refused',
  'retrying',
  'running',
  'succeeded',
  'cancelled',
  'queued',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The order in bars and summaries: final outcomes first. */
export const BAR_ORDER: readonly Outcome[] = [
  'succeeded',
  'unverified',
  'partial',
  'failed',
  'unknown',
  'refused',
  'cancelled',
  'verifying',
  'running',
  'retrying',
  'queued',
];

export const OUTCOME_STYLES: Record<Outcome, { kind: StatusKind; color: string }> = {
  succeeded: { kind: 'good', color: 'good' },
  partial: { kind: 'warn', color: 'warn' },
  failed: { kind: 'bad', color: 'bad' },
  unverified: { kind: 'warn', color: 'warn' },
  unknown: { kind: 'badHollow', color: 'bad' },
  verifying: { kind: 'running', color: 'accent' },
  refused: { kind: 'locked', color: 'idle' },
  cancelled: { kind: 'off', color: 'idle' },
  running: { kind: 'running', color: 'accent' },
  retrying: { kind: 'waiting', color: 'line' },
  queued: { kind: 'waiting', color: 'line' },
};

type TaskState = Pick<Task, 'status' | 'started_at' | 'finished_at'>;

export function outcomeOf({ status, started_at, finished_at }: TaskState): Outcome {
  if (status === 'queued' && started_at !== null) return 'retrying';
  return status === 'unknown' && finished_at === null ? 'verifying' : status;
}

export type OutcomeCounts = Partial<Record<Outcome, number>>;

/** Counts the tasks per outcome. The panel counts the tasks that it still reconciles as `unknown` too. */
export function countOutcomes({ counts, verifying = 0 }: Run): OutcomeCounts {
  return { ...counts, unknown: (counts.unknown ?? 0) - verifying, verifying };
}

/** Counts the sites that are called again apart from the queued ones. The panel counts both as `queued`. */
export function splitRetrying(counts: OutcomeCounts, tasks: Iterable<TaskState>): OutcomeCounts {
  const retrying = [...tasks].filter((task) => outcomeOf(task) === 'retrying').length;
  return { ...counts, retrying, queued: Math.max(0, (counts.queued ?? 0) - retrying) };
}

const UNFINISHED_OUTCOMES: readonly Outcome[] = ['verifying', 'running', 'retrying', 'queued'];
const RETRIABLE_OUTCOMES: readonly Outcome[] = ['failed', 'partial', 'unknown', 'cancelled'];

const sum = (counts: OutcomeCounts, outcomes: readonly Outcome[]) =>
  outcomes.reduce((total, outcome) => total + (counts[outcome] ?? 0), 0);
export const countUnfinished = (counts: OutcomeCounts) => sum(counts, UNFINISHED_OUTCOMES);
/**
 * Each site of a run can be retried once. Of the refused tasks, only `site_not_active` is retriable: the license of the
 * site may be valid by now.
 */
export const isRetriable = (task: TaskState & Pick<Task, 'code' | 'is_retried'>) =>
  !task.is_retried &&
  (RETRIABLE_OUTCOMES.includes(outcomeOf(task)) || task.code === 'site_not_active');

export const percentDone = (total: number, unfinished: number) =>
  total === 0 ? 100 : Math.floor(((total - unfinished) / total) * 100);

/** Names what a run does and where: its items or plugin, and its site or the number of sites. */
export function runTitle(run: Run): string {
  const { kind, request, total, site } = run;
  const { titles } = runsMessages;
  const place = site ? site.site_name : titles.sites(total);
  const items = request.items && describeItems(run, request.items, request.items_total);
  switch (kind) {
    case 'plugin_action':
      return titles.on(outcomeMessages.actionTitle(request.action, pluginName(run)), place);
    case 'sync':
      return site ? titles.syncOf(place) : outcomeMessages.syncTitle(total);
    case 'install':
      return titles.on(titles.install(items ?? ''), place);
    case 'restore':
      return titles.on(titles.restore(items ?? ''), place);
    case 'self_update':
      return titles.on(titles.selfUpdate, place);
    default:
      if (items !== undefined) return titles.on(titles.update(items), place);
      return site ? titles.updateOf(place) : outcomeMessages.updateTitle(total);
  }
}

export const describeRun = ({ kind, request }: Run): string =>
  kind === 'update' && request.items
    ? runsMessages.titles.singleItems
    : outcomeMessages.kinds[kind];

/** "310 succeeded, 2 failed". */
export function summarizeOutcomes(counts: OutcomeCounts): string {
  return BAR_ORDER.filter((outcome) => (counts[outcome] ?? 0) > 0)
    .map((outcome) => outcomeMessages.countOf(counts[outcome] ?? 0, outcome))
    .join(', ');
}

/** The state of a run: its progress in percent while it is running, then one word. */
export function runState(run: Run, counts: OutcomeCounts): { kind: StatusKind; word: string } {
  const { states, percent } = outcomeMessages;
  if (run.status === 'running') {
    return { kind: 'running', word: percent(percentDone(run.total, countUnfinished(counts))) };
  }
  if (run.success) return { kind: 'good', word: states.succeeded };
  if (run.cancelled_at !== null) return { kind: 'off', word: states.cancelled };
  const { succeeded = 0, partial = 0, unverified = 0 } = counts;
  if (unverified > 0 && succeeded + unverified === run.total) {
    return { kind: 'warn', word: states.unverified };
  }
  if (succeeded + partial + unverified > 0) return { kind: 'warn', word: states.partial };
  return { kind: 'bad', word: states.failed };
}
