import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Light } from '../../../components/light.tsx';
import { sayDone } from '../../../lib/notify.ts';
import { beginTotp, removeTotp } from '../second-factor-api.ts';
import { TotpDialog } from './totp-dialog.tsx';

type Props = {
  isOn: boolean;
  onCodes: (backupCodes: string[]) => void;
  onChanged: () => Promise<unknown>;
};

export function AuthenticatorApp({ isOn, onCodes, onChanged }: Props) {
  const begin = useMutation({ mutationFn: beginTotp, gcTime: 0 });
  const [isRemoving, setRemoving] = useState(false);
  return (
    <div>
      <Group justify="space-between" gap="sm">
        <div>
          <Text>Authenticator app</Text>
          {isOn ? (
            <Light look="good">On</Light>
          ) : (
            <Text size="sm" c="dimmed">
              A code from your telephone at each sign-in.
            </Text>
          )}
        </div>
        {isOn ? (
          <Button variant="default" onClick={() => setRemoving(true)}>
            Remove app
          </Button>
        ) : (
          <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
            Set up app
          </Button>
        )}
      </Group>
      {begin.isError && <ErrorNote error={begin.error} />}
      {begin.data && !isOn && (
        <TotpDialog
          totp={begin.data.totp}
          onClose={begin.reset}
          onActive={(codes) => {
            begin.reset();
            onCodes(codes);
          }}
        />
      )}
      {isRemoving && (
        <ConfirmDialog
          title="Remove authenticator app"
          confirmLabel="Remove app"
          isDangerous
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await removeTotp();
            sayDone('The authenticator app is removed.');
            await onChanged();
          }}
        >
          <Text>Codes of this app and your backup codes stop working.</Text>
        </ConfirmDialog>
      )}
    </div>
  );
}
