import { commonMessages } from '../messages/common.ts';
import styles from './license-name.module.css';

/** "Agency …37XBEC": users know the plan; the end of the key tells licenses of the same plan apart. */
export function LicenseName({ plan, lastSix }: { plan: string; lastSix: string }) {
  return (
    <span className={styles.name}>
      <span className="truncate">{plan}</span>{' '}
      <span className={`${styles.key} mono`}>{commonMessages.maskedKey(lastSix)}</span>
    </span>
  );
}
