import { Button, Group, Stack, Text } from '@mantine/core';
import type { UserSummary } from '@steward/contract';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { DangerButton } from '../../../components/danger-button.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { useUser } from '../../../lib/session.ts';
import { changeUserProfile, createPasswordLink } from '../../../lib/users-api.ts';
import { usersMessages } from '../../../messages/users.ts';
import { useRefreshUsers } from '../use-refresh-users.ts';
import { PasswordLinkNote } from './password-link-note.tsx';

const messages = usersMessages.signIn;

type DialogProps = { user: UserSummary; onDialogToggle: (isOpen: boolean) => void };
/** `onLink`: a link that is shown only once is on the screen. */
type Props = DialogProps & { onLink: () => void };

/** Creates a password link, and disables or enables the account. */
export function SignInSection({ user, onDialogToggle, onLink }: Props) {
  const isSelf = useUser().id === user.id;
  const link = useMutation({
    mutationFn: () => createPasswordLink(user.id),
    onSuccess: onLink,
  });
  return (
    <Stack gap="sm">
      <Text c="dimmed">
        {messages.last} <RelativeTime at={user.last_sign_in_at} />
      </Text>
      {user.disabled && <Text>{messages.disabled}</Text>}
      {isSelf && (
        <Text>
          {messages.self} <TextLink to="/account">{messages.accountPage}</TextLink>.
        </Text>
      )}
      {!user.disabled && !isSelf && (
        <Text>{user.invited ? messages.invitationHint : messages.linkHint}</Text>
      )}
      {link.isError && <ErrorNote error={link.error} />}
      {link.data && !user.disabled && (
        <PasswordLinkNote link={link.data.password_link} email={user.email} />
      )}
      <Group gap="xs">
        {!user.disabled && !isSelf && (
          <Button variant="default" loading={link.isPending} onClick={() => link.mutate()}>
            {user.invited ? messages.createInvitation : messages.createLink}
          </Button>
        )}
        {user.disabled ? (
          <EnableButton user={user} />
        ) : (
          <DisableButton user={user} onDialogToggle={onDialogToggle} />
        )}
      </Group>
    </Stack>
  );
}

function DisableButton({ user, onDialogToggle }: DialogProps) {
  const self = useUser();
  const refresh = useRefreshUsers();
  const [isDialogOpen, setDialogOpen] = useState(false);
  const toggleDialog = (isOpen: boolean) => {
    setDialogOpen(isOpen);
    onDialogToggle(isOpen);
  };
  const disable = async () => {
    const { user: changed } = await changeUserProfile(user.id, { disabled: true });
    notifySuccess(messages.disabledDone(changed.name));
    await refresh(changed);
  };
  return (
    <>
      <DangerButton onClick={() => toggleDialog(true)}>{messages.disable}</DangerButton>
      {isDialogOpen && (
        <ConfirmDialog
          title={user.id === self.id ? messages.disableOwnTitle : messages.disableTitle(user.name)}
          confirmLabel={messages.disable}
          isDangerous
          onConfirm={disable}
          onClose={() => toggleDialog(false)}
        >
          <Text>{messages.disableEffect}</Text>
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
      notifySuccess(messages.enabledDone(changed.name));
    },
  });
  return (
    <>
      {enable.isError && <ErrorNote error={enable.error} />}
      <Button loading={enable.isPending} onClick={() => enable.mutate()}>
        {messages.enable}
      </Button>
    </>
  );
}
