import { Button, Group, Stack, Text } from '@mantine/core';
import type { TotpSetup } from '@steward/contract';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyField } from '../../../components/copy-field.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { activateTotp } from '../second-factor-api.ts';
import { CodeField } from './code-field.tsx';
import { QrCode } from './qr-code.tsx';

type Props = { totp: TotpSetup; onActive: (backupCodes: string[]) => void; onClose: () => void };

/** The app scans, and a code of it shows that it did. */
export function TotpDialog({ totp, onActive, onClose }: Props) {
  const [code, setCode] = useState('');
  const activate = useMutation({
    mutationFn: () => activateTotp(code),
    onSuccess: ({ backup_codes }) => onActive(backup_codes),
  });
  return (
    <Dialog title="Set up an authenticator app" onClose={onClose} size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          activate.mutate();
        }}
      >
        <Stack gap="sm">
          <Text>Scan this with your app, or enter the key by hand.</Text>
          <QrCode text={totp.uri} label="QR code for your authenticator app" />
          <CopyField label="Key for your authenticator app" value={totp.secret} />
          <CodeField
            label="Code that the app shows"
            inputMode="numeric"
            data-autofocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          {activate.isError && <ErrorNote error={activate.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={activate.isPending}>
              Switch on
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
