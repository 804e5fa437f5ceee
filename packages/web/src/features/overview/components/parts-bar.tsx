import styles from './parts-bar.module.css';

export type Part = { name: string; value: number; color: string };

/** One thin bar of coloured parts. Decorative: the numbers are beside it. */
export function PartsBar({ parts }: { parts: Part[] }) {
  return (
    <div className={styles.bar} aria-hidden>
      {parts
        .filter(({ value }) => value > 0)
        .map(({ name, value, color }) => (
          <span
            key={name}
            className={styles.part}
            style={{ flexGrow: value, background: `var(--steward-${color})` }}
          />
        ))}
    </div>
  );
}
