import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { count } from '../../../lib/format.ts';
import { type LicenseDetails, revokeLicense } from '../../../lib/licenses-api.ts';
import { useLicenseChange } from '../use-license-change.ts';

/** The end of a license. Asks for the end of its key, so that it is this one and no other. */
export function RevokeDialog(props: { license: LicenseDetails; onClose: () => void }) {
  const { license, onClose } = props;
  const change = useLicenseChange();
  const [typed, setTyped] = useState('');
  const open = license.sites_used + license.uncounted_sites;
  return (
    <ConfirmDialog
      title="Revoke license"
      confirmLabel="Revoke license"
      isDangerous
      isBlocked={typed.trim().toUpperCase() !== license.key_last_six}
      onClose={onClose}
      onConfirm={() => change(revokeLicense(license.id), 'The license is revoked.')}
    >
      <Text>
        This is final: a revoked license never works again.{' '}
        {open > 0
          ? `It is taken off ${count(open, 'site')}, which keep running but can no longer be updated from here.`
          : 'It is in use on no site.'}
      </Text>
      <TextInput
        label={`Type ${license.key_last_six}, the end of its key, to confirm`}
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
