import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { DangerButton } from '../../../components/danger-button.tsx';
import { type LicenseDetails, resumeLicense, suspendLicense } from '../../../lib/licenses-api.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { licensesMessages } from '../../../messages/licenses.ts';
import { useLicenseChange } from '../use-license-change.ts';
import { ChangeExpiryDialog } from './change-expiry-dialog.tsx';
import { LimitDialog } from './limit-dialog.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

const messages = licensesMessages.actions;

type Action = 'rename' | 'limit' | 'expiry' | 'rotate' | 'suspend' | 'resume' | 'revoke';

/** The actions on a license. A revoked license has none. */
export function LicenseActions({ license }: { license: LicenseDetails }) {
  const [action, setAction] = useState<Action | null>(null);
  const isSuspended = license.status === 'suspended';
  // If another user revokes the license meanwhile, an open dialog stays and shows why the panel refuses the action.
  if (license.status === 'revoked' && action === null) {
    return <Text c="dimmed">{messages.revoked}</Text>;
  }
  const close = () => setAction(null);
  const button = (name: Action, label: string) => (
    <Button variant="default" onClick={() => setAction(name)}>
      {label}
    </Button>
  );
  return (
    <>
      <Group gap="xs">
        {button('rename', messages.rename)}
        {button('limit', messages.changeLimit)}
        {button('expiry', messages.changeExpiry)}
        {button('rotate', messages.replaceKey)}
        {isSuspended ? button('resume', messages.resume) : button('suspend', messages.suspend)}
        <DangerButton onClick={() => setAction('revoke')}>{messages.revoke}</DangerButton>
      </Group>
      {action === 'rename' && <RenameDialog license={license} onClose={close} />}
      {action === 'limit' && <LimitDialog license={license} onClose={close} />}
      {action === 'expiry' && <ChangeExpiryDialog license={license} onClose={close} />}
      {action === 'rotate' && <RotateKeyDialog license={license} onClose={close} />}
      {action === 'suspend' && <SuspendDialog license={license} onClose={close} />}
      {action === 'resume' && <ResumeDialog license={license} onClose={close} />}
      {action === 'revoke' && <RevokeDialog license={license} onClose={close} />}
    </>
  );
}

type DialogProps = { license: LicenseDetails; onClose: () => void };

function SuspendDialog({ license, onClose }: DialogProps) {
  const { title, effect, done } = licenseDialogsMessages.suspend;
  const change = useLicenseChange();
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={title}
      onClose={onClose}
      onConfirm={() => change(suspendLicense(license.id), done)}
    >
      <Text>{effect}</Text>
    </ConfirmDialog>
  );
}

function ResumeDialog({ license, onClose }: DialogProps) {
  const { title, effect, done } = licenseDialogsMessages.resume;
  const change = useLicenseChange();
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={title}
      onClose={onClose}
      onConfirm={() => change(resumeLicense(license.id), done)}
    >
      <Text>{effect}</Text>
    </ConfirmDialog>
  );
}
