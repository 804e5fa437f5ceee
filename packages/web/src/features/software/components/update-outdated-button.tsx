import { Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyError, notifySuccess } from '../../../lib/notify.ts';
import { notifyIfIncomplete } from '../../../lib/notify-if-incomplete.ts';
import { fetchOutdatedSiteIds, type SoftwareDetails } from '../../../lib/software-api.ts';
import { MANY_SITES } from '../../../lib/update-summary-api.ts';
import { softwareMessages } from '../../../messages/software.ts';
import { UpdateButton, UpdateDialog, UpdateHoldNote } from '../../run-dialogs/index.ts';

const messages = softwareMessages.item;

/** Loads the outdated sites and opens the preview of their update. */
export function UpdateOutdatedButton({ software }: { software: SoftwareDetails }) {
  const { type, slug, outdated_sites, holds } = software;
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
  const selection = {
    software_type: type,
    software: slug,
    software_outdated: 'true',
  } as const;
  const counted = {
    request: { selection, items: [{ type, slug }] },
    basis: outdated_sites > MANY_SITES ? null : [outdated_sites, holds],
  };
  return (
    <Stack gap={4} align="flex-end" maw={420}>
      <UpdateButton
        {...counted}
        label={({ sites }) => messages.update(sites)}
        isOpening={load.isPending}
        onOpen={() => load.mutate()}
      />
      <UpdateHoldNote {...counted} />
      {siteIds.length > 0 && (
        <UpdateDialog siteIds={siteIds} only={{ type, slug }} onClose={load.reset} />
      )}
    </Stack>
  );
}
