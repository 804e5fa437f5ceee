import styles from './stacked-bar.module.css';

export type Segment = { name: string; value: number; color: string };

/** A bar of coloured segments. It is hidden from screen readers, because the numbers are beside it. */
export function StackedBar({ segments }: { segments: Segment[] }) {
  return (
    <div className={styles.bar} aria-hidden>
      {segments
        .filter(({ value }) => value > 0)
        .map(({ name, value, color }) => (
          <span
            key={name}
            className={styles.segment}
            style={{ flexGrow: value, background: `var(--steward-${color})` }}
          />
        ))}
    </div>
  );
}
