import type { SiteDetails } from '@steward/contract';
import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { notifySuccess, notifyWarning } from '../../lib/notify.ts';
import { notifyWithUndo } from '../../lib/notify-with-undo.tsx';
import { siteMessages } from '../../messages/site.ts';
import { actOnPlugin, type PluginAction, refreshSite } from './site-api.ts';

/**
 * Runs an action on a plugin and waits for the site. `isSiteBusy`: a plugin action (also this one) or a sync of the
 * site, started in this tab, is still running.
 */
export function usePluginAction(site: SiteDetails, item: { plugin: string; name: string }) {
  const client = useQueryClient();
  const mutationKey = ['site-action', site.id];
  const isSiteBusy = useIsMutating({ mutationKey }) > 0;
  const closeUndo = useRef(() => {});
  // Only the row can show the progress and the error of an undo, so the notification closes with the row.
  useEffect(() => () => closeUndo.current(), []);
  const mutation = useMutation({
    mutationKey,
    mutationFn: (action: PluginAction) => {
      closeUndo.current();
      return actOnPlugin(site.id, action, item.plugin);
    },
    // The mutation stays pending until the page shows the new state of the site.
    onSettled: () => refreshSite(client, site.id),
    onSuccess: ({ verified = true, warnings = [], pages_compared = 0 }, action) => {
      const result = siteMessages.plugin.done(item.name, action);
      const compared = verified && pages_compared > 0;
      const done = compared
        ? `${result} ${siteMessages.plugin.pagesCompared(pages_compared)}`
        : result;
      const unverified = verified ? [] : [siteMessages.plugin.checkPages];
      const message = [done, ...warnings, ...unverified].join(' ');
      const isWarning = message !== done;
      if (action === 'deactivate') {
        const onUndo = () => mutation.mutate('activate');
        closeUndo.current = notifyWithUndo(message, { isWarning, onUndo });
      } else if (isWarning) notifyWarning(message);
      else notifySuccess(message);
    },
  });
  return { ...mutation, isSiteBusy, variables: mutation.variables ?? 'update' };
}

export type PluginActionMutation = ReturnType<typeof usePluginAction>;
