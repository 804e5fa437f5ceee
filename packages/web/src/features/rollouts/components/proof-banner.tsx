import { Banner } from '../../../components/banner.tsx';
import type { Rollout, RolloutSite } from '../../../lib/rollouts-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { sumCounts } from '../rollout-state.ts';
import { CanariesStep } from './canaries-step.tsx';
import { ContinueStep } from './continue-step.tsx';
import { EndStep } from './end-step.tsx';
import styles from './halt-banner.module.css';
import { JudgeAgainStep } from './judge-again-step.tsx';

const messages = rolloutMessages.proof;

/** Explains that the current ring proved nothing, and offers the next steps. */
export function ProofBanner({ rollout, sites }: { rollout: Rollout; sites: RolloutSite[] }) {
  const mayAct = useHasPermission('sites.act');
  const { waiting, cancelled } = sumCounts(rollout.rings);
  return (
    <div className={styles.halt}>
      <Banner tone="bad" title={messages.title}>
        <p className={styles.facts}>{rollout.halt_reason}</p>
        <p className={styles.facts}>{messages.effect(waiting + cancelled)}</p>
        <p className={styles.facts}>{mayAct ? messages.choose : messages.askOwner}</p>
        {mayAct && (
          <ul className={styles.steps} aria-label={messages.steps}>
            <CanariesStep rollout={rollout} sites={sites} />
            <ContinueStep rollout={rollout} />
            <EndStep rollout={rollout} />
            <JudgeAgainStep rollout={rollout} />
          </ul>
        )}
      </Banner>
    </div>
  );
}
