import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../../../lib/notify.ts';
import { notifyIfIncomplete } from '../../../lib/notify-if-incomplete.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { SelfUpdateDialog } from '../../run-dialogs/index.ts';
import { fetchSiteIds } from '../api.ts';

/** Loads the sites with an older Steward plugin and opens the preview of the plugin update. */
export function SelfUpdateSitesButton({ sites }: { sites: number }) {
  const load = useMutation({
    mutationFn: () => fetchSiteIds({ steward_plugin: 'outdated' }),
    onError: notifyError,
    onSuccess: notifyIfIncomplete,
  });
  const siteIds = load.data?.site_ids ?? [];
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={load.isPending}
        onClick={() => load.mutate()}
      >
        {packagesMessages.selfUpdate.openOn(sites)}
      </Button>
      {siteIds.length > 0 && <SelfUpdateDialog siteIds={siteIds} onClose={load.reset} />}
    </>
  );
}
