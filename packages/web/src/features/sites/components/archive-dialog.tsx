import { Text } from '@mantine/core';
import { ARCHIVE_SITES_MAX } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { refreshLicenses } from '../../../lib/licenses-api.ts';
import { notifySuccess } from '../../../lib/notify.ts';
import { archiveMessages } from '../../../messages/archive.ts';
import { archiveSites } from '../api.ts';

type Props = { siteIds: number[]; onArchived?: () => void; onClose: () => void };

export function ArchiveDialog({ siteIds, onArchived, onClose }: Props) {
  const client = useQueryClient();
  const isTooMany = siteIds.length > ARCHIVE_SITES_MAX;
  const archive = async () => {
    try {
      const { changed } = await archiveSites(siteIds);
      notifySuccess(archiveMessages.done(changed));
      onArchived?.();
    } finally {
      // The panel may have archived some sites before an error.
      await refreshLicenses(client);
    }
  };
  return (
    <ConfirmDialog
      title={archiveMessages.title(siteIds.length)}
      confirmLabel={archiveMessages.submit(siteIds.length)}
      isDangerous
      blockedBy={isTooMany ? archiveMessages.tooMany(ARCHIVE_SITES_MAX) : null}
      onConfirm={archive}
      onClose={onClose}
    >
      {isTooMany ? (
        <Text>{archiveMessages.tooMany(ARCHIVE_SITES_MAX)}</Text>
      ) : (
        archiveMessages.effects(siteIds.length).map((effect) => <Text key={effect}>{effect}</Text>)
      )}
    </ConfirmDialog>
  );
}
