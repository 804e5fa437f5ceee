import { Stack, Text } from '@mantine/core';
import type { PasswordLink } from '@steward/contract';
import { CopyField } from '../../../components/copy-field.tsx';
import { Moment } from '../../../components/moment.tsx';

/** The link by which somebody chooses a password. The panel cannot show it a second time. */
export function LinkNote({ link, email }: { link: PasswordLink; email: string }) {
  return (
    <Stack gap="xs">
      <Text>
        Send this link to {email}. It is shown only now, works once, and until{' '}
        <Moment at={link.expires_at} />.
      </Text>
      <CopyField value={link.url} label="Password link" />
    </Stack>
  );
}
