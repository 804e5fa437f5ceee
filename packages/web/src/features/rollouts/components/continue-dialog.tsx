import { Text, Textarea } from '@mantine/core';
import { PROOF_REASON_MAX_LENGTH } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { continueWithoutProof, type Rollout, refreshRollouts } from '../../../lib/rollouts-api.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { describeVersions } from '../describe-versions.ts';

const messages = rolloutMessages.continue;

/** Asks for the reason before the next ring starts without proof. */
export function ContinueDialog({ rollout, onClose }: { rollout: Rollout; onClose: () => void }) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const next = rollout.rings.find(({ position, sites }) => position > rollout.ring && sites > 0);
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={messages.confirm}
      blockedBy={reason.trim() === '' ? blockedMessages.reason : null}
      onConfirm={async () =>
        refreshRollouts(client, await continueWithoutProof(rollout.rollout_id, reason.trim()))
      }
      onClose={onClose}
    >
      <Text>
        {messages.effect(describeVersions(rollout.items), next?.name ?? '', next?.sites ?? 0)}
      </Text>
      <Textarea
        label={messages.reason}
        description={messages.reasonNote}
        value={reason}
        maxLength={PROOF_REASON_MAX_LENGTH}
        required
        data-autofocus
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </ConfirmDialog>
  );
}
