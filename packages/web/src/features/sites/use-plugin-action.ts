import type { SiteDetails } from '@steward/contract';
import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import { notifySuccess, notifyWarning } from '../../lib/notify.ts';
import { siteMessages } from '../../messages/site.ts';
import { actOnPlugin, type PluginAction, refreshSite } from './site-api.ts';

/** Runs an action on a plugin and waits for the site. `isSiteBusy`: another action on the site is still running. */
export function usePluginAction(site: SiteDetails, item: { plugin: string; name: string }) {
  const client = useQueryClient();
  const mutationKey = ['site-action', site.id];
  const isSiteBusy = useIsMutating({ mutationKey }) > 0;
  const mutation = useMutation({
    mutationKey,
    mutationFn: (action: PluginAction) => actOnPlugin(site.id, action, item.plugin),
    // The mutation stays pending until the page shows the new state of the site.
    onSettled: () => refreshSite(client, site.id),
    onSuccess: ({ verified = true, warnings = [] }, action) => {
      const done = siteMessages.plugin.done(item.name, action);
      const unverified = verified ? [] : [siteMessages.plugin.checkPages];
      const notes = [...warnings, ...unverified];
      if (notes.length === 0) notifySuccess(done);
      else notifyWarning([done, ...notes].join(' '));
    },
  });
  return { ...mutation, isSiteBusy, variables: mutation.variables ?? 'update' };
}

export type PluginActionMutation = ReturnType<typeof usePluginAction>;
