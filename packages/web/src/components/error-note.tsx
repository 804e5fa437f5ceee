import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiError } from '../lib/api.ts';
import { commonMessages } from '../messages/common.ts';

type Props = { error: unknown; onRetry?: () => void };

const messages = commonMessages.errors;

/** An error message. Server errors also show the request id, to find the entry in the server's log. */
export function ErrorNote({ error, onRetry }: Props) {
  const isApiError = error instanceof ApiError;
  const text = isApiError ? error.message : messages.unexpected;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />} role="alert" my="sm">
      <Group justify="space-between" gap="sm">
        <div>
          <Text c="var(--mantine-color-text)">{text}</Text>
          {isApiError && error.requestId && error.status >= 500 && (
            <Text size="xs" c="dimmed" className="mono">
              {messages.request(error.requestId)}
            </Text>
          )}
        </div>
        {onRetry && (
          <Button variant="default" size="xs" onClick={onRetry}>
            {commonMessages.retry}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
