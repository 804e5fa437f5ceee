import { Button } from '@mantine/core';
import { IconArchiveOff } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refreshLicenses } from '../../../lib/licenses-api.ts';
import { notifyError, notifySuccess } from '../../../lib/notify.ts';
import { archiveMessages } from '../../../messages/archive.ts';
import { unarchiveSites } from '../api.ts';

type Props = { siteIds: number[]; isDisabled?: boolean; onUnarchived?: () => void };

/** Returns archived sites to the list. */
export function UnarchiveButton({ siteIds, isDisabled = false, onUnarchived }: Props) {
  const client = useQueryClient();
  const unarchive = useMutation({
    mutationFn: () => unarchiveSites(siteIds),
    onError: notifyError,
    onSuccess({ changed }) {
      notifySuccess(archiveMessages.restored(changed));
      onUnarchived?.();
    },
    onSettled: () => refreshLicenses(client),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconArchiveOff size={15} aria-hidden />}
      loading={unarchive.isPending}
      disabled={isDisabled}
      onClick={() => unarchive.mutate()}
    >
      {archiveMessages.restore}
    </Button>
  );
}
