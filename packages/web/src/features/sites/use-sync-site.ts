import type { SiteDetails } from '@steward/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifySuccess } from '../../lib/notify.ts';
import { startSync, waitForTask } from '../../lib/runs-api.ts';
import { siteMessages } from '../../messages/site.ts';
import { refreshSite } from './site-api.ts';

export type SyncMutation = ReturnType<typeof useSyncSite>;

/** Syncs a site, waits for the result, and refetches the data of the site. */
export function useSyncSite({ id, name }: SiteDetails) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: ['site-action', id],
    mutationFn: async () => {
      const run = await startSync([id]);
      return { runId: run.run_id, task: await waitForTask(run) };
    },
    onSuccess: ({ task }) => {
      if (task.status === 'succeeded') notifySuccess(siteMessages.actions.synced(name));
      return refreshSite(client, id);
    },
  });
}
