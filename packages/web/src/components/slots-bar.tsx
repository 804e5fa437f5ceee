import { formatNumber } from '../lib/format.ts';
import styles from './slots-bar.module.css';

type Props = { used: number; limit: number | null };

/** How many slots of a license are taken. Without a limit there is nothing to fill. */
export function SlotsBar({ used, limit }: Props) {
  const percent = limit === null ? 0 : Math.min(100, (used / limit) * 100);
  const words =
    limit === null
      ? `${formatNumber(used)}, unlimited`
      : `${formatNumber(used)} of ${formatNumber(limit)}`;
  return (
    <span className={styles.slots}>
      {limit !== null && (
        <span className={styles.track} aria-hidden>
          <span
            className={styles.used}
            data-full={used >= limit || undefined}
            style={{ display: 'block', width: `${percent}%` }}
          />
        </span>
      )}
      <span className="cut tabular">{words}</span>
    </span>
  );
}
