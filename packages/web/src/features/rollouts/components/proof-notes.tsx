import { Text } from '@mantine/core';
import { TextLink } from '../../../components/text-link.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import type { Rollout } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { describeVersions } from '../describe-versions.ts';

const messages = rolloutMessages.proofNotes;

/** Where the items without proof went or came from, and who continued without proof. */
export function ProofNotes({ rollout }: { rollout: Rollout }) {
  const { split_from, split_into, proof_exceptions, rings } = rollout;
  if (split_from === null && split_into.length === 0 && proof_exceptions.length === 0) return null;
  const ringName = (wanted: number) =>
    rings.find(({ position }) => position === wanted)?.name ?? '';
  return (
    <Text component="div" size="sm" c="dimmed" mb="sm">
      {split_from !== null && (
        <div>
          {messages.splitFrom} <RolloutLink id={split_from} />
        </div>
      )}
      {split_into.map((id) => (
        <div key={id}>
          {messages.splitInto} <RolloutLink id={id} />
        </div>
      ))}
      {proof_exceptions.map(({ ring, items, reason, by, at }) => (
        <div key={`${ring} ${at}`}>
          {messages.exception(
            by ?? rolloutMessages.unknownUser,
            describeVersions(items),
            ringName(ring),
          )}{' '}
          <RelativeTime at={at} />
          {messages.exceptionReason(reason)}
        </div>
      ))}
    </Text>
  );
}

function RolloutLink({ id }: { id: number }) {
  return (
    <TextLink to="/rollouts/$rolloutId" params={{ rolloutId: String(id) }} size="sm">
      {messages.rollout(id)}
    </TextLink>
  );
}
