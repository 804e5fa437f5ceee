import {
  BAR_ORDER,
  OUTCOME_STYLES,
  type OutcomeCounts,
  summarizeOutcomes,
} from '../lib/run-outcomes.ts';
import styles from './outcome-bar.module.css';

type Props = { counts: OutcomeCounts; total: number; isSlim?: boolean };

/** A stacked bar of outcomes. Its label gives the same numbers to screen readers. */
export function OutcomeBar({ counts, total, isSlim = false }: Props) {
  return (
    <div
      className={styles.bar}
      data-slim={isSlim || undefined}
      role="img"
      aria-label={summarizeOutcomes(counts)}
    >
      {BAR_ORDER.map((outcome) => {
        const amount = counts[outcome] ?? 0;
        if (amount === 0) return null;
        return (
          <div
            key={outcome}
            className={styles.part}
            data-outcome={outcome}
            style={{
              flexGrow: amount / total,
              backgroundColor: `var(--steward-${OUTCOME_STYLES[outcome].color})`,
            }}
          />
        );
      })}
    </div>
  );
}
