import { Button, Stack, Text } from '@mantine/core';
import type { TotpSetup } from '@steward/contract';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyField } from '../../../components/copy-field.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { accountMessages } from '../../../messages/account.ts';
import { commonMessages } from '../../../messages/common.ts';
import { activateTotp } from '../second-factor-api.ts';
import { CodeField } from './code-field.tsx';
import { QrCode } from './qr-code.tsx';

type Props = { totp: TotpSetup; onActive: (backupCodes: string[]) => void; onClose: () => void };

const messages = accountMessages.totpDialog;

/** Shows the key as a QR code. The user proves the scan with a code from the app. */
export function TotpDialog({ totp, onActive, onClose }: Props) {
  const [code, setCode] = useState('');
  const activate = useMutation({
    mutationFn: () => activateTotp(code),
    onSuccess: ({ backup_codes }) => onActive(backup_codes),
  });
  return (
    <Dialog title={messages.title} onClose={onClose} size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          activate.mutate();
        }}
      >
        <Stack gap="sm">
          <Text>{messages.instructions}</Text>
          <QrCode text={totp.uri} label={messages.qrCode} />
          <CopyField label={messages.key} value={totp.secret} isWrapped />
          <CodeField
            label={messages.code}
            inputMode="numeric"
            data-autofocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          {activate.isError && <ErrorNote error={activate.error} />}
          <DialogFooter>
            <Button variant="default" onClick={onClose}>
              {commonMessages.cancel}
            </Button>
            <Button type="submit" loading={activate.isPending}>
              {messages.submit}
            </Button>
          </DialogFooter>
        </Stack>
      </form>
    </Dialog>
  );
}
