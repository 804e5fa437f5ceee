import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** For a list that is one of several sections of a page. */
  isSection?: boolean;
};

/** Shown instead of an empty list: the reason and the next step. All lists use it. */
export function EmptyState({ title, children, action, isSection = false }: Props) {
  if (isSection) {
    return (
      <Stack align="flex-start" gap={2} py="xs">
        <Text>{title}</Text>
        {children && (
          <Text size="sm" c="dimmed">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    );
  }
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
