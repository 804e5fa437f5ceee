import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { DangerButton } from '../../../components/danger-button.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { accountMessages } from '../../../messages/account.ts';
import { beginTotp, removeTotp } from '../second-factor-api.ts';
import { TotpDialog } from './totp-dialog.tsx';

const messages = accountMessages.authenticatorApp;

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
          <Text>{messages.title}</Text>
          {isOn ? (
            <StatusLabel kind="good">{messages.on}</StatusLabel>
          ) : (
            <Text size="sm" c="dimmed">
              {messages.description}
            </Text>
          )}
        </div>
        {isOn ? (
          <DangerButton onClick={() => setRemoving(true)}>{messages.remove}</DangerButton>
        ) : (
          <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
            {messages.setUp}
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
          title={messages.removeTitle}
          confirmLabel={messages.remove}
          isDangerous
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await removeTotp();
            notifySuccess(messages.removed);
            await onChanged();
          }}
        >
          <Text>{messages.removeEffect}</Text>
        </ConfirmDialog>
      )}
    </div>
  );
}
