import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../../../lib/notify.ts';
import { notifyIfIncomplete } from '../../../lib/notify-if-incomplete.ts';
import { overviewMessages } from '../../../messages/overview.ts';
import { UpdateDialog } from '../../run-dialogs/index.ts';
import { fetchSiteIds } from '../api.ts';

/** Loads the sites with pending updates and opens the preview of their update. */
export function UpdateSitesButton({ sites }: { sites: number }) {
  const load = useMutation({
    mutationFn: () => fetchSiteIds({ pending: 'updatable' }),
    onError: notifyError,
    onSuccess: notifyIfIncomplete,
  });
  const siteIds = load.data?.site_ids ?? [];
  return (
    <>
      <Button
        size="compact-sm"
        leftSection={<IconArrowUp size={14} aria-hidden />}
        loading={load.isPending}
        onClick={() => load.mutate()}
      >
        {overviewMessages.attention.update(sites)}
      </Button>
      {siteIds.length > 0 && <UpdateDialog siteIds={siteIds} onClose={load.reset} />}
    </>
  );
}
