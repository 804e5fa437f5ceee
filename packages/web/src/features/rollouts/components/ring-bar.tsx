import { type Counts, STATE_COLORS, STATE_ORDER } from '../rollout-state.ts';
import styles from './ring-bar.module.css';

type Props = { counts: Counts; total: number; label: string };

/** The states of the sites of one ring. The label gives the same numbers to screen readers. */
export function RingBar({ counts, total, label }: Props) {
  return (
    <span className={styles.bar} role="img" aria-label={label} title={label}>
      {STATE_ORDER.filter((state) => counts[state] > 0).map((state) => (
        <span
          key={state}
          className={styles.part}
          style={{
            flexGrow: counts[state] / Math.max(total, 1),
            backgroundColor: `var(--steward-${STATE_COLORS[state]})`,
          }}
        />
      ))}
    </span>
  );
}
