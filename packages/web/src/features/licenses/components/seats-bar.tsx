import { seatMessages } from '../../../messages/seats.ts';
import styles from './seats-bar.module.css';

type Props = { used: number; limit: number | null };

/** The used seats of a license. Without a site limit there is no bar. */
export function SeatsBar({ used, limit }: Props) {
  const percent = limit === null ? 0 : Math.min(100, (used / limit) * 100);
  const text = limit === null ? seatMessages.unlimited(used) : seatMessages.limited(used, limit);
  return (
    <span className={styles.seats}>
      {limit !== null && (
        <span className={styles.track} aria-hidden>
          <span
            className={styles.used}
            data-full={used >= limit || undefined}
            style={{ display: 'block', width: `${percent}%` }}
          />
        </span>
      )}
      <span className="truncate tabular">{text}</span>
    </span>
  );
}
