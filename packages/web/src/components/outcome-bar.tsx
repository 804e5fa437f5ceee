import { BAR_ORDER, type OutcomeCounts, summaryOf, WORDS } from '../lib/run-outcomes.ts';
import styles from './outcome-bar.module.css';

type Props = { counts: OutcomeCounts; total: number; isSlim?: boolean };

/** One bar made of coloured parts. The words say the same to those who do not see it. */
export function OutcomeBar({ counts, total, isSlim = false }: Props) {
  return (
    <div
      className={styles.bar}
      data-slim={isSlim || undefined}
      role="img"
      aria-label={summaryOf(counts)}
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
              backgroundColor: `var(--steward-${WORDS[outcome].color})`,
            }}
          />
        );
      })}
    </div>
  );
}
