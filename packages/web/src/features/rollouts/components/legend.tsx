import { Tooltip } from '@mantine/core';
import { formatNumber } from '../../../lib/format.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { type Counts, STATE_ORDER } from '../rollout-state.ts';
import styles from './legend.module.css';
import dots from './site-dots.module.css';

/** The meaning of each dot, with the number of sites in this state. */
export function Legend({ counts }: { counts: Counts }) {
  return (
    <ul className={styles.legend} aria-label={rolloutMessages.page.legend}>
      {STATE_ORDER.map((state) => (
        <li key={state}>
          <Tooltip label={rolloutMessages.explanations[state]} multiline maw={280}>
            <span className={styles.entry}>
              <span className={dots.mark} data-state={state} aria-hidden />
              {rolloutMessages.states[state]}
              <span className={`${styles.count} tabular`}>{formatNumber(counts[state])}</span>
            </span>
          </Tooltip>
        </li>
      ))}
    </ul>
  );
}
