import { Button, Stack, Text, Title } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { PageHeader } from '../../components/page-header.tsx';
import { ROLE_WORDS } from '../../lib/role-words.ts';
import { useUser } from '../../lib/session.ts';
import { ChangePassword } from './components/change-password.tsx';
import { SecondFactorSection } from './components/second-factors.tsx';
import { SessionList } from './components/session-list.tsx';
import { useSignOut } from './use-sign-out.ts';

export function AccountPage() {
  const user = useUser();
  return (
    <>
      <PageHeader title="Your account" note={user.email} action={<SignOutButton />} />
      <Stack gap={32} maw={640}>
        <section>
          <Title order={2}>{user.name}</Title>
          <Text c="dimmed">
            {ROLE_WORDS[user.role].label}. {ROLE_WORDS[user.role].youMay}
          </Text>
        </section>
        <section>
          <Title order={2} mb="xs">
            Password
          </Title>
          <ChangePassword />
        </section>
        <section>
          <Title order={2} mb="xs">
            Second factor
          </Title>
          <SecondFactorSection />
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
  const leave = useSignOut();
  return (
    <Button variant="default" leftSection={<IconLogout size={15} />} onClick={leave}>
      Sign out
    </Button>
  );
}
