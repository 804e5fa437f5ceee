import { Button, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { codeOf } from '../../../lib/api.ts';
import { completeSignIn } from '../second-factor-api.ts';
import { CodeField } from './code-field.tsx';
import { Door } from './door.tsx';
import { PasskeySignIn } from './passkey-sign-in.tsx';

type Session = Awaited<ReturnType<typeof completeSignIn>>;
type Props = {
  methods: string[];
  onSignedIn: (session: Session) => Promise<void>;
  onStartAgain: () => void;
};

/** The password was right; now what only its owner has. */
export function SecondStep({ methods, onSignedIn, onStartAgain }: Props) {
  const hasCodes = methods.includes('totp') || methods.includes('backup_code');
  const [code, setCode] = useState('');
  const [fault, setFault] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const isExpired = codeOf(fault) === 'sign_in_expired';

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    try {
      await onSignedIn(await completeSignIn(code));
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  };

  return (
    <Door
      title="Second factor"
      note={
        hasCodes
          ? 'Enter the code that your authenticator app shows, or one of your backup codes.'
          : 'Use the passkey of your account.'
      }
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
          {fault !== null && <ErrorNote error={fault} />}
          {hasCodes && !isExpired && (
            <Button type="submit" loading={isBusy} fullWidth>
              Sign in
            </Button>
          )}
          <Button variant="default" onClick={onStartAgain} fullWidth>
            Start again
          </Button>
        </Stack>
      </form>
      {methods.includes('passkey') && <PasskeySignIn onSignedIn={onSignedIn} />}
      <Text size="sm" c="dimmed" mt="md">
        Lost your device and your codes? Whoever runs the panel can reset your second factor.
      </Text>
    </Door>
  );
}
