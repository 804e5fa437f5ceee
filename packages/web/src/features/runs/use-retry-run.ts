import { useMutation, useQueryClient } from '@tanstack/react-query';
import { errorCodeOf } from '../../lib/api.ts';
import { retryRun, runQuery } from '../../lib/runs-api.ts';
import { useGoToRun } from '../../lib/use-go-to-run.ts';

/** Retries a run, marks it as retried and opens the new run. */
export function useRetryRun(runId: number) {
  const client = useQueryClient();
  const goToRun = useGoToRun();
  const { queryKey } = runQuery(runId);
  return useMutation({
    mutationFn: () => retryRun(runId),
    onSuccess: (retry) => {
      const changes = { is_retried: true, retried_by: retry.run_id };
      client.setQueryData(
        queryKey,
        (known) => known && { ...known, run: { ...known.run, ...changes } },
      );
      return goToRun(retry);
    },
    onError: (error) => {
      if (errorCodeOf(error) === 'run_already_retried') void client.invalidateQueries({ queryKey });
    },
  });
}
