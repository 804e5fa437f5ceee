import { NumberInput } from '@mantine/core';
import type { PercentField } from '../lib/proof-percent.ts';
import { rolloutMessages } from '../messages/rollouts.ts';

const messages = rolloutMessages.plan;

type Props = { value: PercentField; onChange: (value: PercentField) => void };

/** How many sites of a ring must prove a version before the next ring starts. Empty: one site. */
export function ProofField({ value, onChange }: Props) {
  return (
    <NumberInput
      label={messages.proof}
      description={messages.proofNote}
      placeholder={messages.proofOneSite}
      value={value}
      min={0}
      max={100}
      suffix={messages.percentSuffix}
      onChange={onChange}
    />
  );
}
