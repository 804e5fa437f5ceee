import { Drawer, Text, Title } from '@mantine/core';
import type { UserSummary } from '@steward/contract';
import { useState } from 'react';
import { AccessTokenList } from '../../../components/access-token-list.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { useIsConfirming } from '../../../lib/confirmation.ts';
import { accessTokenMessages } from '../../../messages/access-tokens.ts';
import { commonMessages } from '../../../messages/common.ts';
import { usersMessages } from '../../../messages/users.ts';
import { AccessSection } from './access-section.tsx';
import { ProfileForm } from './profile-form.tsx';
import { SignInSection } from './sign-in-section.tsx';
import styles from './user-drawer.module.css';

const messages = usersMessages.details;

type Props = { id: number; users: UserSummary[]; onClose: () => void };

/** A drawer beside the list with the profile, the site access, the sign-in and the access tokens of a user. */
export function UserDrawer({ id, users, onClose }: Props) {
  const user = users.find((each) => each.id === id);
  const [isDialogOpen, setDialogOpen] = useState(false);
  const [hasLink, setHasLink] = useState(false);
  const isConfirming = useIsConfirming();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={480}
      title={user?.name ?? messages.untitled}
      transitionProps={{ duration: 120 }}
      overlayProps={{ backgroundOpacity: 0.25 }}
      classNames={{ title: styles.title }}
      closeButtonProps={{ 'aria-label': commonMessages.close }}
      // A dialog above the drawer handles the keyboard. A password link would be lost.
      closeOnEscape={!isDialogOpen && !isConfirming && !hasLink}
      trapFocus={!isDialogOpen && !isConfirming}
    >
      {user ? (
        <>
          <Text c="dimmed" mb="sm" className="truncate">
            {user.email}
          </Text>
          <ProfileForm user={user} />
          <section className={styles.section}>
            <Title order={2} mb={4}>
              {messages.access}
            </Title>
            <AccessSection user={user} />
          </section>
          <section className={styles.section}>
            <Title order={2} mb={4}>
              {messages.signIn}
            </Title>
            <SignInSection
              user={user}
              onDialogToggle={setDialogOpen}
              onLink={() => setHasLink(true)}
            />
          </section>
          <section className={styles.section}>
            <Title order={2} mb={4}>
              {accessTokenMessages.title}
            </Title>
            <AccessTokenList userId={user.id} onDialogToggle={setDialogOpen} />
          </section>
        </>
      ) : (
        <EmptyState title={messages.notFound}>{commonMessages.notFound.wrongLink}</EmptyState>
      )}
    </Drawer>
  );
}
