import { Drawer, Text, Title } from '@mantine/core';
import type { UserSummary } from '@steward/contract';
import { useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { useIsConfirming } from '../../../lib/confirmation.ts';
import { AccessSection } from './access-section.tsx';
import { ProfileForm } from './profile-form.tsx';
import { SignInSection } from './sign-in-section.tsx';
import styles from './user-panel.module.css';

type Props = { id: number; users: UserSummary[]; onClose: () => void };

/** One user beside the list: who they are, what they see, how they get in. */
export function UserPanel({ id, users, onClose }: Props) {
  const user = users.find((each) => each.id === id);
  const [isAsking, setAsking] = useState(false);
  const isConfirming = useIsConfirming();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={480}
      title={user?.name ?? 'User'}
      transitionProps={{ duration: 120 }}
      overlayProps={{ backgroundOpacity: 0.25 }}
      classNames={{ title: styles.title }}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // A question in front of it has the keyboard.
      closeOnEscape={!isAsking && !isConfirming}
      trapFocus={!isAsking && !isConfirming}
    >
      {user ? (
        <>
          <Text c="dimmed" mb="sm" className="cut">
            {user.email}
          </Text>
          <ProfileForm user={user} />
          <section className={styles.section}>
            <Title order={2} mb={4}>
              Access to sites
            </Title>
            <AccessSection user={user} />
          </section>
          <section className={styles.section}>
            <Title order={2} mb={4}>
              Sign-in
            </Title>
            <SignInSection user={user} onAsk={setAsking} />
          </section>
        </>
      ) : (
        <EmptyState title="There is no such user">The link may be wrong.</EmptyState>
      )}
    </Drawer>
  );
}
