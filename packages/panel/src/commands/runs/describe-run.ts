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

export const describeStatus = (status: TaskStatus): string =>
  status === 'partial' ? 'partly failed' : status;

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

type Counted = Pick<RunSummary, 'counts' | 'total' | 'status'>;

/**
 * While a run continues, `unknown` counts tasks that the panel still verifies together with tasks that stay unknown. The
 * summary of a run does not separate them, so all of them count as unfinished until the run has finished.
 */
export function countFinished(run: Counted): number {
  const open: TaskStatus[] = ['queued', 'running', ...statusesBeingVerified(run)];
  return run.total - countTasks(run, open);
}

const statusesBeingVerified = ({ status }: Counted): TaskStatus[] =>
  status === 'running' ? ['unknown'] : [];

/** Such as "5 succeeded, 2 failed". */
export function describeOutcomes(run: Counted): string {
  const isVerifying = (status: TaskStatus) => statusesBeingVerified(run).includes(status);
  const outcomes: TaskStatus[] = ['succeeded', ...PROBLEM_STATUSES];
  return outcomes
    .filter((status) => countTasks(run, [status]) > 0)
    .map((status) => {
      const label = isVerifying(status) ? 'being verified' : describeStatus(status);
      return `${countTasks(run, [status])} ${label}`;
    })
    .join(', ');
}

/** Such as "7 of 10 sites finished: 5 succeeded, 2 failed". */
export function describeProgress(run: Counted): string {
  const { total } = run;
  const outcomes = describeOutcomes(run);
  const sites = total === 1 ? 'site' : 'sites';
  return `${countFinished(run)} of ${total} ${sites} finished${outcomes && `: ${outcomes}`}`;
}

export const toSiteName = ({ site_id, site_url }: Pick<RunTask, 'site_id' | 'site_url'>): string =>
  site_url?.replace(/^https?:\/\//, '') ?? `site ${site_id}`;
