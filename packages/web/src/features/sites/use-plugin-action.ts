import type { SiteDetails } from '@steward/contract';
import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import { sayDone, sayWarning } from '../../lib/notify.ts';
import { actOnPlugin, type PluginAction, refreshSite } from './site-api.ts';

const DONE: Record<PluginAction, string> = {
  update: 'is updated.',
  activate: 'is active.',
  deactivate: 'is inactive.',
  delete: 'is deleted.',
};

/** Does one thing with one plugin and waits for the site. Nothing else is begun there meanwhile. */
export function usePluginAction(site: SiteDetails, item: { plugin: string; name: string }) {
  const client = useQueryClient();
  const mutationKey = ['site-action', site.id];
  const isSiteBusy = useIsMutating({ mutationKey }) > 0;
  const mutation = useMutation({
    mutationKey,
    mutationFn: (action: PluginAction) => actOnPlugin(site.id, action, item.plugin),
    // Busy until the page shows what the site has now.
    onSettled: () => refreshSite(client, site.id),
    onSuccess: ({ verified = true, warnings = [] }, action) => {
      const done = `${item.name} ${DONE[action]}`;
      const unverified = verified ? [] : ['Open the site and look whether its pages work.'];
      const notes = [...warnings, ...unverified];
      if (notes.length === 0) sayDone(done);
      else sayWarning([done, ...notes].join(' '));
    },
  });
  return { ...mutation, isSiteBusy, variables: mutation.variables ?? 'update' };
}

export type PluginActions = ReturnType<typeof usePluginAction>;
