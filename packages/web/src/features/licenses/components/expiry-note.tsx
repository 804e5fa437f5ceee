import { Text } from '@mantine/core';
import type { NewEnrolmentCode } from '@steward/contract';
import { formatTimestamp } from '../../../lib/format.ts';
import { connectMessages } from '../../../messages/connect.ts';

/** Shows how many sites the codes connect, and when the codes expire. */
export function ExpiryNote({ codes }: { codes: NewEnrolmentCode[] }) {
  const [first] = codes;
  if (!first) return null;
  return (
    <Text size="sm" c="dimmed">
      {connectMessages.codes.valid(codes.length, formatTimestamp(first.expires_at))}
    </Text>
  );
}
