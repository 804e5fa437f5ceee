import { Button, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { errorCodeOf } from '../../../lib/api.ts';
import { accountMessages } from '../../../messages/account.ts';
import { completeSignIn } from '../second-factor-api.ts';
import { CodeField } from './code-field.tsx';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import { SignedOutLayout } from './signed-out-layout.tsx';

type Session = Awaited<ReturnType<typeof completeSignIn>>;
type Props = {
  methods: string[];
  onSignedIn: (session: Session) => Promise<void>;
  onStartOver: () => void;
};

const messages = accountMessages.secondStep;

/** The second step of a sign-in, after the correct password. */
export function SecondStep({ methods, onSignedIn, onStartOver }: Props) {
  const hasCodes = methods.includes('totp') || methods.includes('backup_code');
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const isExpired = errorCodeOf(error) === 'sign_in_expired';

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await onSignedIn(await completeSignIn(code));
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };

  return (
    <SignedOutLayout
      title={messages.title}
      note={hasCodes ? messages.enterCode : messages.usePasskey}
    >
      <form onSubmit={submit}>
        <Stack gap="sm">
          {hasCodes && (
            <CodeField
              autoFocus
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
          )}
          {error !== null && <ErrorNote error={error} />}
          {hasCodes && !isExpired && (
            <Button type="submit" loading={isBusy} fullWidth>
              {accountMessages.signIn.submit}
            </Button>
          )}
          <Button variant="default" onClick={onStartOver} fullWidth>
            {messages.startOver}
          </Button>
        </Stack>
      </form>
      {methods.includes('passkey') && <PasskeySignIn onSignedIn={onSignedIn} />}
      <Text size="sm" c="dimmed" mt="md">
        {messages.lostDevice}
      </Text>
    </SignedOutLayout>
  );
}
