import { Button } from '@mantine/core';
import { IconArchiveOff } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refreshLicenses } from '../../../lib/licenses-api.ts';
import { notifyError, notifySuccess } from '../../../lib/notify.ts';
import { archiveMessages } from '../../../messages/archive.ts';
import { unarchiveSites } from '../api.ts';

type Props = { siteIds: number[]; isDisabled?: boolean; onRestored?: () => void };

/** Returns archived sites to the list. */
export function UnarchiveButton({ siteIds, isDisabled = false, onRestored }: Props) {
  const client = useQueryClient();
  const restore = useMutation({
    mutationFn: () => unarchiveSites(siteIds),
    onError: notifyError,
    onSuccess({ changed }) {
      notifySuccess(archiveMessages.restored(changed));
      onRestored?.();
    },
    onSettled: () => refreshLicenses(client),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconArchiveOff size={15} aria-hidden />}
      loading={restore.isPending}
      disabled={isDisabled}
      onClick={() => restore.mutate()}
    >
      {archiveMessages.restore}
    </Button>
  );
}
