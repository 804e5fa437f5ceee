import { Text, Textarea } from '@mantine/core';
import { QUARANTINE_REASON_MAX_LENGTH, type QuarantinedVersion } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { rulesMessages } from '../../../messages/rules.ts';
import { liftQuarantine, refreshRules } from '../api.ts';

const messages = rulesMessages.quarantine;

/** Asks for a reason, because a quarantined version has probably broken sites. */
export function LiftDialog(props: { version: QuarantinedVersion; onClose: () => void }) {
  const { version, onClose } = props;
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const confirm = async () => {
    await liftQuarantine(version.id, reason);
    await refreshRules(client);
    notifySuccess(messages.lifted);
  };
  return (
    <ConfirmDialog
      title={messages.liftTitle}
      confirmLabel={messages.liftConfirm}
      blockedBy={reason.trim() === '' ? blockedMessages.reason : null}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Text>{messages.liftText(messages.version(version.name, version.version))}</Text>
      <Textarea
        label={messages.reason}
        required
        maxLength={QUARANTINE_REASON_MAX_LENGTH}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        data-autofocus
      />
    </ConfirmDialog>
  );
}
