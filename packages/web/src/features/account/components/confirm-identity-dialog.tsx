import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { CONFIRMATION_MINUTES } from '@steward/contract';
import { type FormEvent, useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { PasswordField } from '../../../components/password-fields.tsx';
import { codeOf } from '../../../lib/api.ts';
import { settleConfirmation, useIsConfirming } from '../../../lib/confirmation.ts';
import { confirmIdentity } from '../api.ts';

/** Asks who is there when the panel wants to know it again. The call that was refused waits for it. */
export default function ConfirmIdentityDialog() {
  return useIsConfirming() ? <Question /> : null;
}

function Question() {
  const cancel = () => settleConfirmation(false);
  return (
    // In front of the dialog or the drawer whose button was pressed.
    <Modal opened title="Confirm that it is you" onClose={cancel} size="md" zIndex={400}>
      <PasswordForm onCancel={cancel} />
    </Modal>
  );
}

function PasswordForm({ onCancel }: { onCancel: () => void }) {
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const isWrong = codeOf(fault) === 'wrong_password';

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // The form may lie inside another one, by React and not in the page.
    event.stopPropagation();
    setBusy(true);
    setFault(null);
    try {
      await confirmIdentity({ password });
      settleConfirmation(true);
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text>
          This needs your password once more. You are not asked again for {CONFIRMATION_MINUTES}{' '}
          minutes.
        </Text>
        <PasswordField
          label="Your password"
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={isWrong ? 'This password is not right.' : undefined}
        />
        {fault !== null && !isWrong && <ErrorNote error={fault} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Confirm
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
