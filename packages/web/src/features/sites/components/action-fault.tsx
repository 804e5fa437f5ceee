import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { ApiError } from '../../../lib/api.ts';
import { adviceOn } from '../../../lib/failure-words.ts';

/** Why an action was refused or failed, what that means, and where more is said. */
export function ActionFault({ error, onDismiss }: { error: Error; onDismiss: () => void }) {
  const isOurs = error instanceof ApiError;
  const sentence = isOurs ? error.message : 'That did not work. Reload the page and try again.';
  const runId = isOurs && typeof error.body.run_id === 'number' ? error.body.run_id : null;
  const advice =
    isOurs && runId !== null
      ? adviceOn({ kind: 'plugin_action', status: 'failed', code: error.code })
      : null;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />} role="alert">
      <Text c="var(--mantine-color-text)">{sentence}</Text>
      {advice && (
        <Text size="sm" c="var(--mantine-color-text)">
          {advice.meaning}
        </Text>
      )}
      <Group gap="xs" mt={6}>
        {runId !== null && (
          <Button
            variant="default"
            size="xs"
            renderRoot={(props) => (
              <Link {...props} to="/runs/$runId" params={{ runId: String(runId) }} />
            )}
          >
            Show the attempt
          </Button>
        )}
        <Button variant="default" size="xs" onClick={onDismiss}>
          Dismiss
        </Button>
      </Group>
    </Alert>
  );
}
