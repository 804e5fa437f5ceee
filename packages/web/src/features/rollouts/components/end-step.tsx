import type { Rollout } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { EndRolloutButton } from './end-rollout-button.tsx';
import styles from './halt-banner.module.css';

const messages = rolloutMessages.halted;

/** The third next step: end the rollout. */
export function EndStep({ rollout }: { rollout: Rollout }) {
  return (
    <li className={styles.step}>
      <EndRolloutButton rollout={rollout} size="compact-sm" />
      <span>{messages.endEffect(rollout.held_versions.length > 0)}</span>
    </li>
  );
}
