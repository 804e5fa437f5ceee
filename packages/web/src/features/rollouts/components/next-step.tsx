import type { Rollout } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { isLast } from '../rollout-state.ts';
import { Countdown } from './countdown.tsx';
import { EndSoakButton } from './end-soak-button.tsx';
import styles from './next-step.module.css';

const messages = rolloutMessages.flow;

/** What an active rollout does next, and when. It has the same height in each state, so that the rings do not jump. */
export function NextStep({ rollout }: { rollout: Rollout }) {
  const ring = rollout.rings.find(({ position }) => position === rollout.ring);
  if (!ring) return null;
  const soakEndsAt = rollout.status === 'soaking' ? ring.soak_ends_at : null;
  return (
    <div className={styles.next}>
      {soakEndsAt !== null ? (
        <>
          <span>
            {isLast(rollout, ring) ? messages.finishes : messages.nextStarts}
            <Countdown until={soakEndsAt} />.
          </span>
          <EndSoakButton rollout={rollout} ring={ring} />
        </>
      ) : (
        <span>{messages.updating(ring.name)}</span>
      )}
    </div>
  );
}
