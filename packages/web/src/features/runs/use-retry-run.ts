import { useMutation, useQueryClient } from '@tanstack/react-query';
import { codeOf } from '../../lib/api.ts';
import { retryRun, runQuery } from '../../lib/runs-api.ts';
import { useGoToRun } from '../../lib/use-go-to-run.ts';

/** Tries again what a run has left, and goes to the run that does. The first one then says so. */
export function useRetryRun(runId: number) {
  const client = useQueryClient();
  const goToRun = useGoToRun();
  const { queryKey } = runQuery(runId);
  return useMutation({
    mutationFn: () => retryRun(runId),
    onSuccess: (made) => {
      const news = { is_retried: true, retried_by: made.run_id };
      client.setQueryData(
        queryKey,
        (known) => known && { ...known, run: { ...known.run, ...news } },
      );
      return goToRun(made);
    },
    onError: (error) => {
      if (codeOf(error) === 'run_already_retried') void client.invalidateQueries({ queryKey });
    },
  });
}
