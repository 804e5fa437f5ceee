import { Button } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { accountMessages } from '../../../messages/account.ts';
import { canUsePasskeys, signInWithPasskey } from '../passkey-api.ts';

type Session = Awaited<ReturnType<typeof signInWithPasskey>>;
type Props = { onSignedIn: (session: Session) => Promise<void> };

/** Renders nothing if the browser does not support passkeys. */
export function PasskeySignIn({ onSignedIn }: Props) {
  const signIn = useMutation({
    mutationFn: async () => onSignedIn(await signInWithPasskey()),
  });
  if (!canUsePasskeys()) return null;
  return (
    <>
      <Button
        variant="default"
        fullWidth
        mt="sm"
        leftSection={<IconFingerprint size={16} />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate()}
      >
        {accountMessages.usePasskey}
      </Button>
      {signIn.isError && <ErrorNote error={signIn.error} />}
    </>
  );
}
