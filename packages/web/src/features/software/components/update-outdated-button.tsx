import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyError, notifySuccess } from '../../../lib/notify.ts';
import { notifyIfIncomplete } from '../../../lib/notify-if-incomplete.ts';
import { fetchOutdatedSiteIds, type SoftwareDetails } from '../../../lib/software-api.ts';
import { softwareMessages } from '../../../messages/software.ts';
import { UpdateDialog } from '../../run-dialogs/index.ts';

const messages = softwareMessages.item;

/** Loads the outdated sites and opens the preview of their update. */
export function UpdateOutdatedButton({ software }: { software: SoftwareDetails }) {
  const { type, slug, outdated_sites } = software;
  const client = useQueryClient();
  const load = useMutation({
    mutationFn: () => fetchOutdatedSiteIds({ type, slug }),
    onError: notifyError,
    onSuccess: (selection) => {
      notifyIfIncomplete(selection);
      if (selection.site_ids.length > 0) return;
      notifySuccess(messages.upToDate);
      void client.invalidateQueries({ queryKey: ['software'] });
    },
  });
  const siteIds = load.data?.site_ids ?? [];
  return (
    <>
      <Button
        leftSection={<IconArrowUp size={15} aria-hidden />}
        loading={load.isPending}
        onClick={() => load.mutate()}
      >
        {messages.update(outdated_sites)}
      </Button>
      {siteIds.length > 0 && (
        <UpdateDialog siteIds={siteIds} only={{ type, slug }} onClose={load.reset} />
      )}
    </>
  );
}
