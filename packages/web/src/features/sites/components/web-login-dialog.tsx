import { PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { SiteDetails } from '@steward/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { DangerButton } from '../../../components/danger-button.tsx';
import { notifyError, notifySuccess } from '../../../lib/notify.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { siteMessages } from '../../../messages/site.ts';
import { refreshSite, removeWebLogin, setWebLogin } from '../site-api.ts';

const messages = siteMessages.webLogin;

/** Stores the credentials for a site whose web server requires HTTP basic authentication. */
export function WebLoginDialog({ site, onClose }: { site: SiteDetails; onClose: () => void }) {
  const client = useQueryClient();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const save = async () => {
    await setWebLogin(site.id, { username, password });
    await refreshSite(client, site.id);
    notifySuccess(messages.saved);
  };
  const remove = useMutation({
    mutationFn: () => removeWebLogin(site.id),
    onError: notifyError,
    onSuccess: async () => {
      await refreshSite(client, site.id);
      notifySuccess(messages.removed);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={messages.save}
      blockedBy={username === '' || password === '' ? blockedMessages.webLogin : null}
      onConfirm={save}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text size="sm">{messages.note}</Text>
        <TextInput
          label={messages.username}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          autoComplete="off"
          maxLength={200}
          data-autofocus
        />
        <PasswordInput
          label={messages.password}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="new-password"
          maxLength={200}
        />
        {site.has_web_login && (
          <DangerButton loading={remove.isPending} onClick={() => remove.mutate()}>
            {messages.remove}
          </DangerButton>
        )}
      </Stack>
    </ConfirmDialog>
  );
}
