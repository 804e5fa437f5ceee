import { Banner } from '../../../components/banner.tsx';
import type { Rollout, RolloutSite } from '../../../lib/rollouts-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { describeVersions } from '../describe-versions.ts';
import { sumCounts } from '../rollout-state.ts';
import { EndStep } from './end-step.tsx';
import styles from './halt-banner.module.css';
import { RestoreStep } from './restore-step.tsx';
import { ResumeStep } from './resume-step.tsx';

const messages = rolloutMessages.halted;

/** Explains why the rollout halted, what was rolled back, which versions are quarantined, and the three next steps. */
export function HaltBanner({ rollout, sites }: { rollout: Rollout; sites: RolloutSite[] }) {
  const mayAct = useHasPermission('sites.act');
  const { updated, unchecked, waiting, cancelled, troubled } = sumCounts(rollout.rings);
  const { held_versions } = rollout;
  return (
    <div className={styles.halt}>
      <Banner tone="bad" title={messages.title}>
        <p className={styles.facts}>{rollout.halt_reason}</p>
        <p className={styles.facts}>
          {[
            ...describeRollback(sites, troubled),
            messages.updated(updated),
            ...(unchecked > 0 ? [messages.unchecked(unchecked)] : []),
            ...(waiting + cancelled > 0 ? [messages.uncalled(waiting + cancelled)] : []),
            held_versions.length > 0
              ? messages.quarantine(describeVersions(held_versions))
              : messages.notHeld,
          ].join(' ')}
        </p>
        <p className={styles.facts}>{mayAct ? messages.choose : messages.askOwnerToChoose}</p>
        {mayAct && (
          <ul className={styles.steps} aria-label={messages.steps}>
            <RestoreStep rollout={rollout} sites={sites} />
            <ResumeStep rollout={rollout} />
            <EndStep rollout={rollout} />
          </ul>
        )}
      </Banner>
    </div>
  );
}

/** Empty if the user may not see all troubled sites: then it is not known how many were rolled back. */
function describeRollback(sites: RolloutSite[], troubled: number): string[] {
  const visible = sites.filter(({ state }) => state === 'troubled');
  if (visible.length === 0 || visible.length < troubled) return [];
  const rolledBack = visible.filter(({ is_rolled_back }) => is_rolled_back).length;
  const remaining = troubled - rolledBack;
  return [
    messages.putBack(rolledBack, troubled),
    ...(remaining > 0 ? [messages.notPutBack(remaining)] : []),
  ];
}
