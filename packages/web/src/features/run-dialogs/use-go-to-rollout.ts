import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';

/** Returns a function that opens a new rollout and refreshes the list of rollouts. */
export function useGoToRollout() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return ({ rollout_id }: { rollout_id: number }) => {
    void client.invalidateQueries({ queryKey: ['rollouts', 'list'] });
    return navigate({ to: '/rollouts/$rolloutId', params: { rolloutId: String(rollout_id) } });
  };
}
