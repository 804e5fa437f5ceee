import styles from './mark.module.css';

/** The mark of Steward: two points and the line between them, as an S. `favicon.svg` has the same shapes. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} className={styles.mark} aria-hidden>
      <rect width="32" height="32" rx="8" />
      <g>
        <path d="M21 9.5h-6.5a3.25 3.25 0 0 0 0 6.5h3a3.25 3.25 0 0 1 0 6.5H11" />
        <circle cx="22.5" cy="9.5" r="2" />
        <circle cx="9.5" cy="22.5" r="2" />
      </g>
    </svg>
  );
}
