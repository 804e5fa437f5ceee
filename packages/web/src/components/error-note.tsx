import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiError } from '../lib/api.ts';

type Props = { error: unknown; onRetry?: () => void };

/** A refusal or a fault, in the panel's words, with what helps to find it in the log. */
export function ErrorNote({ error, onRetry }: Props) {
  const isOurs = error instanceof ApiError;
  const text = isOurs ? error.message : 'This page met something it did not expect. Reload it.';
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />} role="alert" my="sm">
      <Group justify="space-between" gap="sm">
        <div>
          <Text c="var(--mantine-color-text)">{text}</Text>
          {isOurs && error.requestId && error.status >= 500 && (
            <Text size="xs" c="dimmed" className="mono">
              Request {error.requestId}
            </Text>
          )}
        </div>
        {onRetry && (
          <Button variant="default" size="xs" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
