import { Button } from '@mantine/core';
import { IconArchiveOff } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Blockable } from '../../../components/blockable.tsx';
import { refreshLicenses } from '../../../lib/licenses-api.ts';
import { notifyError, notifySuccess } from '../../../lib/notify.ts';
import { archiveMessages } from '../../../messages/archive.ts';
import { unarchiveSites } from '../api.ts';

type Props = { siteIds: number[]; blockedBy?: string | null; onUnarchived?: () => void };

/** Returns archived sites to the list. */
export function UnarchiveButton({ siteIds, blockedBy = null, onUnarchived }: Props) {
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
    <Blockable reason={blockedBy}>
      <Button
        variant="default"
        leftSection={<IconArchiveOff size={15} aria-hidden />}
        loading={unarchive.isPending}
        onClick={() => unarchive.mutate()}
      >
        {archiveMessages.restore}
      </Button>
    </Blockable>
  );
}
