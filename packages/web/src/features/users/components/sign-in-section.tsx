import { Button, Group, Stack, Text } from '@mantine/core';
import type { UserSummary } from '@steward/contract';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Ago } from '../../../components/moment.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { sayDone } from '../../../lib/notify.ts';
import { useUser } from '../../../lib/session.ts';
import { changeUserProfile, makePasswordLink } from '../../../lib/users-api.ts';
import { useRefreshUsers } from '../use-refresh.ts';
import { LinkNote } from './link-note.tsx';

type Props = { user: UserSummary; onAsk: (isAsking: boolean) => void };

/** How somebody gets in, or is kept out. */
export function SignInSection({ user, onAsk }: Props) {
  const isSelf = useUser().id === user.id;
  const link = useMutation({ mutationFn: () => makePasswordLink(user.id) });
  return (
    <Stack gap="sm">
      <Text c="dimmed">
        Last sign-in: <Ago at={user.last_sign_in_at} />
      </Text>
      {user.disabled && (
        <Text>This account is disabled: it cannot sign in, and links for it do not work.</Text>
      )}
      {isSelf && (
        <Text>
          This is you. Change your password on <TextLink to="/account">your account</TextLink>.
        </Text>
      )}
      {!user.disabled && !isSelf && (
        <Text>
          A password link lets them choose a new password. The one they have goes on working until
          they use the link; an older link stops working now.
        </Text>
      )}
      {link.isError && <ErrorNote error={link.error} />}
      {link.data && !user.disabled && (
        <LinkNote link={link.data.password_link} email={user.email} />
      )}
      <Group gap="xs">
        {!user.disabled && !isSelf && (
          <Button variant="default" loading={link.isPending} onClick={() => link.mutate()}>
            Make password link
          </Button>
        )}
        {user.disabled ? <EnableButton user={user} /> : <DisableButton user={user} onAsk={onAsk} />}
      </Group>
    </Stack>
  );
}

function DisableButton({ user, onAsk }: Props) {
  const self = useUser();
  const refresh = useRefreshUsers();
  const [isAsking, setAsking] = useState(false);
  const ask = (isOpen: boolean) => {
    setAsking(isOpen);
    onAsk(isOpen);
  };
  const disable = async () => {
    const { user: changed } = await changeUserProfile(user.id, { disabled: true });
    sayDone(`${changed.name} is disabled.`);
    await refresh(changed);
  };
  return (
    <>
      <Button variant="default" onClick={() => ask(true)}>
        Disable user
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={user.id === self.id ? 'Disable your own account' : `Disable ${user.name}`}
          confirmLabel="Disable user"
          isDangerous
          onConfirm={disable}
          onClose={() => ask(false)}
        >
          <Text>
            All their sessions end at once and their password links stop working. Their queued
            updates are cancelled. Their access is kept, and you can enable them again.
          </Text>
        </ConfirmDialog>
      )}
    </>
  );
}

function EnableButton({ user }: { user: UserSummary }) {
  const refresh = useRefreshUsers();
  const enable = useMutation({
    mutationFn: () => changeUserProfile(user.id, { disabled: false }),
    onSuccess: async ({ user: changed }) => {
      await refresh(changed);
      sayDone(`${changed.name} is enabled.`);
    },
  });
  return (
    <>
      {enable.isError && <ErrorNote error={enable.error} />}
      <Button loading={enable.isPending} onClick={() => enable.mutate()}>
        Enable user
      </Button>
    </>
  );
}
