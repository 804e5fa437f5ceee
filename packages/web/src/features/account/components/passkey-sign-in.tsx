import { Button } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { canUsePasskeys, signInWithPasskey } from '../passkey-api.ts';

type Session = Awaited<ReturnType<typeof signInWithPasskey>>;
type Props = { onSignedIn: (session: Session) => Promise<void> };

/** Where the browser has passkeys. */
export function PasskeySignIn({ onSignedIn }: Props) {
  const enter = useMutation({
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
        loading={enter.isPending}
        onClick={() => enter.mutate()}
      >
        Use a passkey
      </Button>
      {enter.isError && <ErrorNote error={enter.error} />}
    </>
  );
}
