import { Textarea, TextInput } from '@mantine/core';
import {
  SITE_DISPLAY_NAME_MAX_LENGTH,
  SITE_NOTE_MAX_LENGTH,
  type SiteDetails,
} from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ClientSelect } from '../../../components/client-select.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { clientsQuery, NO_CLIENT } from '../../../lib/clients-api.ts';
import { notifySuccess } from '../../../lib/notify.ts';
import { siteAddress } from '../../../lib/site-name.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { siteAboutMessages } from '../../../messages/site-about.ts';
import { changeSite, refreshSite } from '../site-api.ts';
import { listChanges, toFields } from '../site-fields.ts';

const messages = siteAboutMessages.dialog;

/** Changes the display name, the client and the note of a site. */
export function SiteDialog({ site, onClose }: { site: SiteDetails; onClose: () => void }) {
  const queryClient = useQueryClient();
  // A refresh of the site must not replace what the user compares with.
  const [before] = useState(() => toFields(site));
  const [fields, setFields] = useState(before);
  const changes = listChanges(before, fields);
  const save = async () => {
    await changeSite(site.id, changes);
    notifySuccess(messages.done);
    void queryClient.invalidateQueries(clientsQuery);
    await refreshSite(queryClient, site.id);
  };
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={messages.submit}
      blockedBy={Object.keys(changes).length === 0 ? blockedMessages.unchanged : null}
      onConfirm={save}
      onClose={onClose}
    >
      <TextInput
        label={messages.name}
        description={messages.nameHint(siteAddress(site.url))}
        maxLength={SITE_DISPLAY_NAME_MAX_LENGTH}
        autoComplete="off"
        data-autofocus
        value={fields.display_name}
        onChange={({ currentTarget }) =>
          setFields({ ...fields, display_name: currentTarget.value })
        }
      />
      <ClientSelect
        label={messages.client}
        value={fields.client}
        onChange={(client) => setFields({ ...fields, client: client ?? NO_CLIENT })}
        hasNone
      />
      <Textarea
        label={messages.note}
        description={messages.noteHint}
        maxLength={SITE_NOTE_MAX_LENGTH}
        rows={4}
        resize="vertical"
        value={fields.note}
        onChange={({ currentTarget }) => setFields({ ...fields, note: currentTarget.value })}
      />
    </ConfirmDialog>
  );
}
