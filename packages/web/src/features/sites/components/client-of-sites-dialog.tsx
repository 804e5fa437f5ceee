import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ClientSelect } from '../../../components/client-select.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { NO_CLIENT, refreshClients } from '../../../lib/clients-api.ts';
import { notifySuccess, notifyWarning } from '../../../lib/notify.ts';
import { clientOfSitesMessages as messages } from '../../../messages/client-of-sites.ts';
import { setClientOfSites } from '../api.ts';

/** Moves all selected sites to one client, or to none. */
export function ClientOfSitesDialog(props: { siteIds: number[]; onClose: () => void }) {
  const { siteIds, onClose } = props;
  const queryClient = useQueryClient();
  const [client, setClient] = useState<string | null>(null);
  const save = async () => {
    const { changed, not_found } = await setClientOfSites({
      site_ids: siteIds,
      client_id: client === NO_CLIENT ? null : Number(client),
    });
    if (not_found === 0) notifySuccess(messages.changed(changed));
    else notifyWarning(messages.changed(changed) + messages.notFound(not_found));
    await refreshClients(queryClient);
  };
  return (
    <ConfirmDialog
      title={messages.title(siteIds.length)}
      confirmLabel={messages.title(siteIds.length)}
      blockedBy={client === null ? messages.notChosen : null}
      onConfirm={save}
      onClose={onClose}
    >
      <ClientSelect label={messages.client} value={client} onChange={setClient} hasNone />
      <Text size="sm" c="dimmed">
        {messages.note}
      </Text>
    </ConfirmDialog>
  );
}
