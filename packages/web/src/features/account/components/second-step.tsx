import { Button, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { codeOf } from '../../../lib/api.ts';
import { completeSignIn } from '../second-factor-api.ts';
import { CodeField } from './code-field.tsx';
import { Door } from './door.tsx';

type Session = Awaited<ReturnType<typeof completeSignIn>>;
type Props = { onSignedIn: (session: Session) => Promise<void>; onStartAgain: () => void };

/** The password was right; now what only its owner has. */
export function SecondStep({ onSignedIn, onStartAgain }: Props) {
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
      note="Enter the code that your authenticator app shows, or one of your backup codes."
    >
      <form onSubmit={submit}>
        <Stack gap="sm">
          <CodeField
            autoFocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          {fault !== null && <ErrorNote error={fault} />}
          {!isExpired && (
            <Button type="submit" loading={isBusy} fullWidth>
              Sign in
            </Button>
          )}
          <Button variant="default" onClick={onStartAgain} fullWidth>
            Start again
          </Button>
        </Stack>
      </form>
      <Text size="sm" c="dimmed" mt="md">
        Lost your device and your codes? Whoever runs the panel can reset your second factor.
      </Text>
    </Door>
  );
}
