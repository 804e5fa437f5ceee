import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { refreshRunLists } from './runs-api.ts';

/** Returns a function that opens a new run and refreshes all lists of runs. */
export function useGoToRun() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return ({ run_id }: { run_id: number }) => {
    void refreshRunLists(client);
    return navigate({ to: '/runs/$runId', params: { runId: String(run_id) } });
  };
}
