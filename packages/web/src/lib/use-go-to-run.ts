import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { refreshRunLists } from './runs-api.ts';

/** Opens a run that was just started, and refreshes the badge in the rail. */
export function useGoToRun() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return ({ run_id }: { run_id: number }) => {
    void refreshRunLists(client);
    return navigate({ to: '/runs/$runId', params: { runId: String(run_id) } });
  };
}
