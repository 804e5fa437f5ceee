import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { type LicenseDetails, resumeLicense, suspendLicense } from '../../../lib/licenses-api.ts';
import { useLicenseChange } from '../use-license-change.ts';
import { ExtendDialog } from './extend-dialog.tsx';
import { LimitDialog } from './limit-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

type Action = 'limit' | 'extend' | 'rotate' | 'suspend' | 'resume' | 'revoke';

/** What can be done to a license that was not revoked. */
export function LicenseActions({ license }: { license: LicenseDetails }) {
  const [asked, setAsked] = useState<Action | null>(null);
  const isSuspended = license.status === 'suspended';
  // A dialog stays open when somebody else was quicker: it then says why it was refused.
  if (license.status === 'revoked' && asked === null) {
    return <Text c="dimmed">This license was revoked. That is final; create a new one.</Text>;
  }
  const close = () => setAsked(null);
  const button = (action: Action, label: string) => (
    <Button variant="default" onClick={() => setAsked(action)}>
      {label}
    </Button>
  );
  return (
    <>
      <Group gap="xs">
        {button('limit', 'Change limit')}
        {button('extend', 'Change expiry')}
        {button('rotate', 'Replace key')}
        {isSuspended ? button('resume', 'Resume license') : button('suspend', 'Suspend license')}
        {button('revoke', 'Revoke license')}
      </Group>
      {asked === 'limit' && <LimitDialog license={license} onClose={close} />}
      {asked === 'extend' && <ExtendDialog license={license} onClose={close} />}
      {asked === 'rotate' && <RotateKeyDialog license={license} onClose={close} />}
      {asked === 'suspend' && <SuspendDialog license={license} onClose={close} />}
      {asked === 'resume' && <ResumeDialog license={license} onClose={close} />}
      {asked === 'revoke' && <RevokeDialog license={license} onClose={close} />}
    </>
  );
}

type DialogProps = { license: LicenseDetails; onClose: () => void };

function SuspendDialog({ license, onClose }: DialogProps) {
  const change = useLicenseChange();
  return (
    <ConfirmDialog
      title="Suspend license"
      confirmLabel="Suspend license"
      onClose={onClose}
      onConfirm={() => change(suspendLicense(license.id), 'The license is suspended.')}
    >
      <Text>
        Its sites learn at their next check that the license does not hold, and the panel stops
        updating them. They keep running, keep their slots, and go on as before when you resume it.
      </Text>
    </ConfirmDialog>
  );
}

function ResumeDialog({ license, onClose }: DialogProps) {
  const change = useLicenseChange();
  return (
    <ConfirmDialog
      title="Resume license"
      confirmLabel="Resume license"
      onClose={onClose}
      onConfirm={() => change(resumeLicense(license.id), 'The license is resumed.')}
    >
      <Text>Its sites can be updated again at once, and learn it at their next check.</Text>
    </ConfirmDialog>
  );
}
