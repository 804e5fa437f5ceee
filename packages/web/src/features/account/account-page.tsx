import { Button, Stack, Text, Title } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { changeUser, useUser } from '../../app/session.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { codeOf } from '../../lib/api.ts';
import { sayFault } from '../../lib/notify.ts';
import { signOut } from './api.ts';
import { ChangePassword } from './components/change-password.tsx';
import { SessionList } from './components/session-list.tsx';

const ROLE_WORDS = {
  owner: 'Owner: may do everything',
  manager: 'Manager: acts on the sites you were granted',
  viewer: 'Viewer: sees the sites you were granted',
} as const;

export function AccountPage() {
  const user = useUser();
  return (
    <>
      <PageHeader title="Your account" note={user.email} action={<SignOutButton />} />
      <Stack gap={32} maw={640}>
        <section>
          <Title order={2}>{user.name}</Title>
          <Text c="dimmed">{ROLE_WORDS[user.role]}</Text>
        </section>
        <section>
          <Title order={2} mb="xs">
            Password
          </Title>
          <ChangePassword />
        </section>
        <section>
          <Title order={2} mb="xs">
            Where you are signed in
          </Title>
          <SessionList />
        </section>
      </Stack>
    </>
  );
}

function SignOutButton() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    try {
      await signOut();
    } catch (error) {
      // Signed out already, elsewhere: that is what was wanted.
      if (codeOf(error) !== 'unauthenticated') return sayFault(error);
    }
    changeUser(client, null);
    await navigate({ to: '/sign-in' });
  };
  return (
    <Button variant="default" leftSection={<IconLogout size={15} />} onClick={leave}>
      Sign out
    </Button>
  );
}
