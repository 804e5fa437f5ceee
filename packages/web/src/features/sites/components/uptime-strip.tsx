import { REACHABILITY_LETTERS } from '@steward/contract';
import { uptimeMessages } from '../../../messages/uptime.ts';
import { countDays, groupDays } from '../group-days.ts';
import styles from './uptime-strip.module.css';

const STATES = Object.fromEntries(
  Object.entries(REACHABILITY_LETTERS).map(([state, letter]) => [letter, state]),
);

/** The last 30 days in a row of the list, as the strip on the page of the site. Equal days in a row are one part. */
export function UptimeStrip({ days }: { days: string }) {
  const text = uptimeMessages.days(countDays(days));
  return (
    <span className={styles.strip} role="img" aria-label={text} title={text}>
      {groupDays(days).map(({ letter, start, length }) => (
        <span
          key={start}
          className={styles.part}
          data-state={STATES[letter]}
          style={{ flexGrow: length }}
        />
      ))}
    </span>
  );
}
