import { Text, Textarea } from '@mantine/core';
import { isSameVersion, QUARANTINE_REASON_MAX_LENGTH } from '@steward/contract';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import {
  changeRollout,
  type Rollout,
  readRollout,
  refreshRollouts,
} from '../../../lib/rollouts-api.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { liftQuarantine, quarantineQuery, refreshRules } from '../../rules/index.ts';
import { describeVersions } from '../describe-versions.ts';
import { sumCounts } from '../rollout-state.ts';

const messages = rolloutMessages.resume;

/** Asks before a halted rollout continues. With quarantined versions, it asks for a reason and lifts the quarantine. */
export function ResumeDialog({ rollout, onClose }: { rollout: Rollout; onClose: () => void }) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const { rollout_id, rings, held_versions } = rollout;
  const isHeld = held_versions.length > 0;
  const { waiting, cancelled } = sumCounts(rings);
  const resume = async () => {
    // If another user has ended or resumed the rollout meanwhile, it cannot resume, and the quarantine must stay.
    const isHalted = (await readRollout(rollout_id)).rollout.status === 'halted';
    if (isHeld && isHalted) await liftVersions(client, held_versions, reason.trim());
    refreshRollouts(client, await changeRollout(rollout_id, 'resume'));
  };
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={isHeld ? messages.confirmLift : messages.confirm}
      blockedBy={isHeld && reason.trim() === '' ? blockedMessages.reason : null}
      onConfirm={resume}
      onClose={onClose}
    >
      <Text>{messages.effect(waiting + cancelled)}</Text>
      {isHeld && (
        <>
          <Text>{messages.lifts(describeVersions(held_versions))}</Text>
          <Textarea
            label={messages.reason}
            description={messages.reasonNote}
            value={reason}
            maxLength={QUARANTINE_REASON_MAX_LENGTH}
            required
            data-autofocus
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </>
      )}
    </ConfirmDialog>
  );
}

/** Skips quarantines that are already lifted: if a call fails, the user can confirm again. */
async function liftVersions(
  client: QueryClient,
  held: Rollout['held_versions'],
  reason: string,
): Promise<void> {
  const quarantined = await client.fetchQuery({ ...quarantineQuery, staleTime: 0 });
  for (const { id, item_type, slug, version, lifted_at } of quarantined) {
    const isOfRollout = held.some(
      (item) =>
        item.type === item_type && item.slug === slug && isSameVersion(item.version, version),
    );
    if (isOfRollout && lifted_at === null) await liftQuarantine(id, reason);
  }
  void refreshRules(client);
}
