import type { RunSummary, RunTask } from '../panel-api/panel-api.ts';

type TaskStatus = RunTask['status'];

const KINDS: Record<RunSummary['kind'], string> = {
  update: 'update',
  plugin_action: 'plugin action',
  sync: 'sync',
  install: 'install',
  restore: 'restore',
  self_update: 'update of the Steward plugin',
};

/** Such as "deactivate shop/shop.php", "update of 3 items" or "sync". */
export function describeRun({ kind, request }: RunSummary): string {
  const { action, plugin, items = [], items_total = items.length } = request;
  if (action !== undefined && plugin !== undefined) return `${action} ${plugin}`;
  const [first] = items;
  if (first && items_total === 1)
    return `${KINDS[kind]} ${first.slug} ${first.version ?? ''}`.trim();
  return items_total > 1 ? `${KINDS[kind]} of ${items_total} items` : KINDS[kind];
}

const describeStatus = (status: TaskStatus): string =>
  status === 'partial' ? 'partly failed' : status;

/** A task with the status `unknown` has no final result while the panel reconciles it. */
export const describeTaskStatus = ({
  status,
  finished_at,
}: Pick<RunTask, 'status' | 'finished_at'>): string =>
  status === 'unknown' && finished_at === null ? 'verifying' : describeStatus(status);

const FAILED: TaskStatus[] = ['failed', 'partial', 'refused', 'cancelled'];
const UNCERTAIN: TaskStatus[] = ['unverified', 'unknown'];
/** The statuses of sites without a verified success, the most urgent first. */
export const PROBLEM_STATUSES = [...FAILED, ...UNCERTAIN];
export const countTasks = (
  { counts }: Pick<RunSummary, 'counts'>,
  statuses: TaskStatus[],
): number => statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);

/** 1: a site failed, or was refused or cancelled. 2: none of these, but a result is not verified or not known. */
export function exitCodeOf(run: Pick<RunSummary, 'counts'>): 0 | 1 | 2 {
  if (countTasks(run, FAILED) > 0) return 1;
  return countTasks(run, UNCERTAIN) > 0 ? 2 : 0;
}

type Counted = Pick<RunSummary, 'counts' | 'total' | 'verifying'>;

const UNFINISHED: TaskStatus[] = ['queued', 'running'];

/** The counts of a run include the sites that the panel still reconciles in `unknown`. They are not finished. */
export function countFinished(run: Counted): number {
  return run.total - countTasks(run, UNFINISHED) - (run.verifying ?? 0);
}

/** Such as "5 succeeded, 2 failed, 1 being verified". */
export function describeOutcomes(run: Counted): string {
  const { verifying = 0 } = run;
  const outcomes = (['succeeded', ...PROBLEM_STATUSES] as const).map((status): [number, string] => {
    const tasks = countTasks(run, [status]);
    return [status === 'unknown' ? tasks - verifying : tasks, describeStatus(status)];
  });
  return [...outcomes, [verifying, 'being verified'] as const]
    .filter(([tasks]) => tasks > 0)
    .map(([tasks, label]) => `${tasks} ${label}`)
    .join(', ');
}

/** Such as "7 of 10 sites finished: 5 succeeded, 2 failed". */
export function describeProgress(run: Counted): string {
  const { total } = run;
  const outcomes = describeOutcomes(run);
  const sites = total === 1 ? 'site' : 'sites';
  return `${countFinished(run)} of ${total} ${sites} finished${outcomes && `: ${outcomes}`}`;
}

export const toSiteName = ({
  site_id,
  site_name,
}: Pick<RunTask, 'site_id' | 'site_name'>): string => site_name ?? `site ${site_id}`;
