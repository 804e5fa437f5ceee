import { Box, Button, Text } from '@mantine/core';
import { ApiError } from '../lib/api.ts';
import { commonMessages } from '../messages/common.ts';
import { Banner } from './banner.tsx';

type Props = { error: unknown; onRetry?: () => void };

const messages = commonMessages.errors;

/** An error message. Server errors also show the request id, to find the entry in the server's log. */
export function ErrorNote({ error, onRetry }: Props) {
  const isApiError = error instanceof ApiError;
  const text = isApiError ? error.message : messages.unexpected;
  return (
    <Box my="sm">
      <Banner
        tone="bad"
        steps={
          onRetry && (
            <Button variant="default" size="xs" onClick={onRetry}>
              {commonMessages.retry}
            </Button>
          )
        }
      >
        {text}
        {isApiError && error.requestId && error.status >= 500 && (
          <Text size="xs" c="dimmed" className="mono">
            {messages.request(error.requestId)}
          </Text>
        )}
      </Banner>
    </Box>
  );
}
