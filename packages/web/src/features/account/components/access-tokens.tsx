import { Button, Group, Stack, Text } from '@mantine/core';
import type { CreatedAccessTokenResponse } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AccessTokenList } from '../../../components/access-token-list.tsx';
import { CopyField } from '../../../components/copy-field.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { accessTokensQuery } from '../../../lib/access-tokens-api.ts';
import { accessTokenMessages as messages } from '../../../messages/access-tokens.ts';
import { CreateTokenDialog } from './create-token-dialog.tsx';

/** The access tokens of the signed-in user. */
export function AccessTokens() {
  const client = useQueryClient();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedAccessTokenResponse | null>(null);
  return (
    <>
      <Group justify="space-between" gap="sm" mb="xs">
        <Text size="sm" c="dimmed" flex="1 1 260px">
          {messages.description}{' '}
          <TextLink to="/docs" underline="always">
            {messages.apiDocs}
          </TextLink>
        </Text>
        <Button variant="default" onClick={() => setCreating(true)}>
          {messages.create}
        </Button>
      </Group>
      <AccessTokenList userId={null} />
      {isCreating && (
        <CreateTokenDialog
          onClose={() => setCreating(false)}
          onCreated={(token) => {
            setCreated(token);
            return client.invalidateQueries(accessTokensQuery(null));
          }}
        />
      )}
      {created && <SecretDialog created={created} onClose={() => setCreated(null)} />}
    </>
  );
}

type SecretProps = { created: CreatedAccessTokenResponse; onClose: () => void };

/** Shows a new token once: the panel stores only its hash. */
function SecretDialog({ created, onClose }: SecretProps) {
  return (
    <Dialog
      title={messages.secret.title(created.token.name)}
      onClose={onClose}
      // An accidental click or key press must not close the dialog: the token would be lost.
      closeOnClickOutside={false}
      closeOnEscape={false}
      size="lg"
    >
      <Stack gap="sm">
        <Text>{messages.secret.note}</Text>
        <CopyField label={messages.secret.label} value={created.secret} />
        <DialogFooter>
          <Button onClick={onClose}>{messages.secret.stored}</Button>
        </DialogFooter>
      </Stack>
    </Dialog>
  );
}
