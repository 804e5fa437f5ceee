import type { SiteDetails } from '@steward/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { sayDone } from '../../lib/notify.ts';
import { outcomeOfOne, startSync } from '../../lib/runs-api.ts';
import { refreshSite } from './site-api.ts';

export type SyncSite = ReturnType<typeof useSyncSite>;

/** Asks a site to report, stays until it has, and shows what it has then. */
export function useSyncSite({ id, name }: SiteDetails) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: ['site-action', id],
    mutationFn: async () => {
      const { run_id } = await startSync([id]);
      return { runId: run_id, task: await outcomeOfOne(run_id) };
    },
    onSuccess: ({ task }) => {
      if (task.status === 'succeeded') sayDone(`${name} has reported what it has.`);
      return refreshSite(client, id);
    },
  });
}
