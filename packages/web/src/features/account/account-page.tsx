import { Button, Stack, Text, Title } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { PageHeader } from '../../components/page-header.tsx';
import { PageSection } from '../../components/page-section.tsx';
import { useUser } from '../../lib/session.ts';
import { accessTokenMessages } from '../../messages/access-tokens.ts';
import { accountMessages } from '../../messages/account.ts';
import { rolesMessages } from '../../messages/roles.ts';
import { AccessTokens } from './components/access-tokens.tsx';
import { ChangePassword } from './components/change-password.tsx';
import { ProfileForm } from './components/profile-form.tsx';
import { SecondFactorSection } from './components/second-factor-section.tsx';
import { SessionList } from './components/session-list.tsx';
import { useSignOut } from './use-sign-out.ts';

export function AccountPage() {
  const user = useUser();
  return (
    <>
      <PageHeader
        title={accountMessages.title}
        note={user.email}
        action={<SignOutButton />}
        width="form"
      />
      <Stack gap={32}>
        <PageSection id="profile">
          <Title order={2}>{accountMessages.profile.title}</Title>
          <Text c="dimmed" mb="xs">
            {rolesMessages[user.role].yourAccess}
          </Text>
          <ProfileForm />
        </PageSection>
        <PageSection id="password">
          <Title order={2} mb="xs">
            {accountMessages.password}
          </Title>
          <ChangePassword />
        </PageSection>
        <PageSection id="second-factor">
          <Title order={2} mb="xs">
            {accountMessages.secondFactor}
          </Title>
          <SecondFactorSection />
        </PageSection>
        <PageSection id="sessions">
          <Title order={2} mb="xs">
            {accountMessages.sessions}
          </Title>
          <SessionList />
        </PageSection>
        <PageSection id="access-tokens">
          <Title order={2} mb="xs">
            {accessTokenMessages.title}
          </Title>
          <AccessTokens />
        </PageSection>
      </Stack>
    </>
  );
}

function SignOutButton() {
  const signOut = useSignOut();
  return (
    <Button variant="default" leftSection={<IconLogout size={15} />} onClick={signOut}>
      {accountMessages.signOut}
    </Button>
  );
}
