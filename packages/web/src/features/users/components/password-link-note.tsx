import { Stack, Text } from '@mantine/core';
import type { PasswordLink } from '@steward/contract';
import { CopyField } from '../../../components/copy-field.tsx';
import { Timestamp } from '../../../components/time.tsx';
import { usersMessages } from '../../../messages/users.ts';

const messages = usersMessages.passwordLink;

/** A password link. It is shown only once, because the panel stores only its hash. */
export function PasswordLinkNote({ link, email }: { link: PasswordLink; email: string }) {
  return (
    <Stack gap="xs">
      <Text>
        {messages.instructions(email)} <Timestamp at={link.expires_at} />.
      </Text>
      <CopyField value={link.url} label={messages.label} />
    </Stack>
  );
}
