import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { type LicenseDetails, revokeLicense } from '../../../lib/licenses-api.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { useLicenseChange } from '../use-license-change.ts';

const messages = licenseDialogsMessages.revoke;

/** Revokes a license. The user types the last six characters of the key, which prevents revoking the wrong license. */
export function RevokeDialog(props: { license: LicenseDetails; onClose: () => void }) {
  const { license, onClose } = props;
  const change = useLicenseChange();
  const [typed, setTyped] = useState('');
  const connectedSites = license.sites_used + license.uncounted_sites;
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={messages.title}
      isDangerous
      blockedBy={
        typed.trim().toUpperCase() === license.key_last_six ? null : blockedMessages.keyEnd
      }
      onClose={onClose}
      onConfirm={() => change(revokeLicense(license.id), messages.done)}
    >
      <Text>{messages.effect(connectedSites)}</Text>
      <TextInput
        label={messages.typeToConfirm(license.key_last_six)}
        classNames={{ input: 'mono' }}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}
