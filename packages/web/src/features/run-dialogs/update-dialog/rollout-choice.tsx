import { Radio, Stack } from '@mantine/core';
import type { ComponentProps } from 'react';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { RolloutFields } from './rollout-fields.tsx';
import { DEFAULT_PLAN, type RolloutPlan } from './rollout-plan.ts';

const messages = rolloutMessages.choice;

type Props = Omit<ComponentProps<typeof RolloutFields>, 'plan' | 'onChange'> & {
  /** Null: all sites at once. */
  plan: RolloutPlan | null;
  onChange: (plan: RolloutPlan | null) => void;
};

/** Chooses between one run for all sites and a rollout in rings. */
export function RolloutChoice({ plan, onChange, ...fields }: Props) {
  return (
    <Stack gap="sm">
      <Radio.Group
        label={messages.label}
        value={plan ? 'rings' : 'all'}
        onChange={(value) => onChange(value === 'rings' ? DEFAULT_PLAN : null)}
      >
        <Stack mt={6} gap={6}>
          <Radio value="all" label={messages.atOnce} />
          <Radio value="rings" label={messages.inRings} description={messages.inRingsNote} />
        </Stack>
      </Radio.Group>
      {plan && <RolloutFields {...fields} plan={plan} onChange={onChange} />}
    </Stack>
  );
}
