import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { CONFIRMATION_MINUTES } from '@steward/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { PasswordField } from '../../../components/password-fields.tsx';
import { codeOf } from '../../../lib/api.ts';
import { settleConfirmation, useIsConfirming } from '../../../lib/confirmation.ts';
import { confirmIdentity } from '../api.ts';
import { answerWithPasskey, canUsePasskeys } from '../passkey-api.ts';
import { secondFactorsQuery } from '../second-factor-api.ts';
import { CodeField } from './code-field.tsx';

/** Asks who is there when the panel wants to know it again. The call that was refused waits for it. */
export default function ConfirmIdentityDialog() {
  return useIsConfirming() ? <Question /> : null;
}

const cancel = () => settleConfirmation(false);

function Question() {
  const { data, isPending } = useQuery(secondFactorsQuery);
  const factors = data?.second_factors;
  // The password alone does not confirm an account that has a second factor.
  const hasFactor = factors && (factors.totp || factors.passkeys.length > 0);
  const hasCodes = factors && (factors.totp || factors.backup_codes > 0);
  return (
    // In front of the dialog or the drawer whose button was pressed.
    <Modal opened title="Confirm that it is you" onClose={cancel} size="md" zIndex={400}>
      <Stack gap="sm">
        <Text>You are not asked again for {CONFIRMATION_MINUTES} minutes.</Text>
        {!isPending && !hasFactor && <ProofForm by="password" />}
        {hasFactor && hasCodes && <ProofForm by="code" />}
        {hasFactor && !hasCodes && !canUsePasskeys() && (
          <Text>Open the panel in a browser that has your passkey.</Text>
        )}
        {factors && factors.passkeys.length > 0 && canUsePasskeys() && (
          <Group gap="xs">
            <PasskeyButton />
          </Group>
        )}
      </Stack>
    </Modal>
  );
}

function PasskeyButton() {
  const confirm = useMutation({
    mutationFn: async () => confirmIdentity({ passkey: await answerWithPasskey() }),
    onSuccess: () => settleConfirmation(true),
  });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        loading={confirm.isPending}
        onClick={() => confirm.mutate()}
      >
        Use a passkey
      </Button>
      {confirm.isError && <ErrorNote error={confirm.error} />}
    </>
  );
}

function ProofForm({ by }: { by: 'password' | 'code' }) {
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const isWrong = ['wrong_password', 'wrong_code'].includes(codeOf(fault) ?? '');

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    try {
      await confirmIdentity(by === 'password' ? { password: typed } : { code: typed });
      settleConfirmation(true);
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  };

  const field = {
    'data-autofocus': true,
    autoFocus: true,
    value: typed,
    onChange: (event: { currentTarget: { value: string } }) => setTyped(event.currentTarget.value),
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {by === 'password' ? (
          <PasswordField
            label="Your password"
            {...field}
            error={isWrong ? 'This password is not right.' : undefined}
          />
        ) : (
          <CodeField
            label="Code of your app, or a backup code"
            {...field}
            error={isWrong ? 'This code is not right, or was used before.' : undefined}
          />
        )}
        {fault !== null && !isWrong && <ErrorNote error={fault} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={cancel}>
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
