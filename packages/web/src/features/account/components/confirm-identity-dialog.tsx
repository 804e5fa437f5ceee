import { Button, Group, Stack, Text } from '@mantine/core';
import { CONFIRMATION_MINUTES } from '@steward/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { errorCodeOf } from '../../../lib/api.ts';
import { endConfirmation } from '../../../lib/confirmation.ts';
import { accountMessages } from '../../../messages/account.ts';
import { commonMessages } from '../../../messages/common.ts';
import { confirmIdentity } from '../api.ts';
import { canUsePasskeys, requestConfirmationAssertion } from '../passkey-api.ts';
import { secondFactorsQuery } from '../second-factor-api.ts';
import { CodeField } from './code-field.tsx';
import { PasswordField } from './password-fields.tsx';

const messages = accountMessages.confirmation;

const cancel = () => endConfirmation(false);

export default function ConfirmIdentityDialog() {
  const { data, isPending } = useQuery(secondFactorsQuery);
  const factors = data?.second_factors;
  // The panel does not accept the password alone if the account has a second factor.
  const hasFactor = factors && (factors.totp || factors.passkeys.length > 0);
  const hasCodes = factors && (factors.totp || factors.backup_codes > 0);
  return (
    // The z-index puts this dialog above the dialog or drawer that made the call.
    <Dialog title={messages.title} isConfirmation onClose={cancel} size="md" zIndex={400}>
      <Stack gap="sm">
        <Text>{messages.note(CONFIRMATION_MINUTES)}</Text>
        {factors && factors.passkeys.length > 0 && canUsePasskeys() && (
          <Group gap="xs">
            <PasskeyButton />
          </Group>
        )}
        {!isPending && !hasFactor && <ConfirmationForm method="password" />}
        {hasFactor && hasCodes && <ConfirmationForm method="code" />}
        {hasFactor && !hasCodes && !canUsePasskeys() && <Text>{messages.passkeyElsewhere}</Text>}
      </Stack>
    </Dialog>
  );
}

function PasskeyButton() {
  const confirm = useMutation({
    mutationFn: async () => confirmIdentity({ passkey: await requestConfirmationAssertion() }),
    onSuccess: () => endConfirmation(true),
  });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        loading={confirm.isPending}
        onClick={() => confirm.mutate()}
      >
        {accountMessages.usePasskey}
      </Button>
      {confirm.isError && <ErrorNote error={confirm.error} />}
    </>
  );
}

function ConfirmationForm({ method }: { method: 'password' | 'code' }) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const isWrong = ['wrong_password', 'wrong_code'].includes(errorCodeOf(error) ?? '');

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await confirmIdentity(method === 'password' ? { password: typed } : { code: typed });
      endConfirmation(true);
    } catch (failure) {
      setError(failure);
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
        {method === 'password' ? (
          <PasswordField
            label={messages.password}
            {...field}
            error={isWrong ? messages.wrongPassword : undefined}
          />
        ) : (
          <CodeField
            label={messages.code}
            {...field}
            error={isWrong ? messages.wrongCode : undefined}
          />
        )}
        {error !== null && !isWrong && <ErrorNote error={error} />}
        <DialogFooter>
          <Button variant="default" onClick={cancel}>
            {commonMessages.cancel}
          </Button>
          <Button type="submit" loading={isBusy}>
            {messages.submit}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  );
}
