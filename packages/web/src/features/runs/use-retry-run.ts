import { useMutation, useQueryClient } from '@tanstack/react-query';
import { errorCodeOf } from '../../lib/api.ts';
import { isRetriable } from '../../lib/run-outcomes.ts';
import { type RunWithTasks, retryRun, runQuery } from '../../lib/runs-api.ts';
import { useGoToRun } from '../../lib/use-go-to-run.ts';

/** Retries a run, or some of its sites, marks them as retried and opens the new run. */
export function useRetryRun(runId: number) {
  const client = useQueryClient();
  const goToRun = useGoToRun();
  const { queryKey } = runQuery(runId);
  return useMutation({
    mutationFn: (siteIds: number[] | undefined) => retryRun(runId, siteIds),
    onSuccess: (retry) => {
      const siteIds = new Set(retry.results.map(({ site_id }) => site_id));
      client.setQueryData(queryKey, (known) => known && markRetried(known, siteIds, retry.run_id));
      return goToRun(retry);
    },
    onError: (error) => {
      if (errorCodeOf(error) === 'run_already_retried') void client.invalidateQueries({ queryKey });
    },
  });
}

function markRetried(
  { run, tasks: known }: RunWithTasks,
  siteIds: ReadonlySet<number>,
  retryRunId: number,
): RunWithTasks {
  const retry = { is_retried: true, retried_by: retryRunId };
  const tasks = new Map(known);
  for (const [id, task] of known) {
    if (siteIds.has(task.site_id)) tasks.set(id, { ...task, ...retry });
  }
  const is_retried = !tasks.values().some(isRetriable);
  return { run: { ...run, is_retried, retried_by: retryRunId }, tasks };
}
