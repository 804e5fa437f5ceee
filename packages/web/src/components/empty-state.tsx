import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = { title: string; children?: ReactNode; action?: ReactNode };

/** Shown instead of an empty list, with the reason and the next step. */
export function EmptyState({ title, children, action }: Props) {
  return (
    <Stack align="center" gap="xs" py={64} px="md" ta="center">
      <Title order={2}>{title}</Title>
      {children && (
        <Text c="dimmed" maw={440}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
