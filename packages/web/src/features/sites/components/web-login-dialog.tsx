import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { SiteDetails } from '@steward/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { sayDone, sayFault } from '../../../lib/notify.ts';
import { refreshSite, removeWebLogin, setWebLogin } from '../site-api.ts';

/** For a site whose web server asks for a password before anything behind it answers. */
export function WebLoginDialog({ site, onClose }: { site: SiteDetails; onClose: () => void }) {
  const client = useQueryClient();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const store = async () => {
    await setWebLogin(site.id, { username, password });
    await refreshSite(client, site.id);
    sayDone('The panel sends this login with its calls. Sync the site to try it.');
  };
  const remove = useMutation({
    mutationFn: () => removeWebLogin(site.id),
    onError: sayFault,
    onSuccess: async () => {
      await refreshSite(client, site.id);
      sayDone('The login is removed.');
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title="Web server login"
      confirmLabel="Save login"
      isBlocked={username === '' || password === ''}
      onConfirm={store}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text size="sm">
          For sites behind a password of their web server (HTTP basic authentication), as staging
          sites often are. It is stored encrypted and sent to this site alone.
        </Text>
        <TextInput
          label="User name"
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          autoComplete="off"
          maxLength={200}
          data-autofocus
        />
        <PasswordInput
          label="Password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="new-password"
          maxLength={200}
        />
        {site.has_web_login && (
          <Button
            variant="subtle"
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            Remove the stored login
          </Button>
        )}
      </Stack>
    </ConfirmDialog>
  );
}
