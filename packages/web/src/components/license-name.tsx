import { commonMessages } from '../messages/common.ts';
import styles from './license-name.module.css';

type Named = { name: string | null; plan: { name: string }; key_last_six: string };

/** "Studio Berlin …37XBEC": the name, or the plan if it has none. The end of the key tells equal names apart. */
export function LicenseName({ license }: { license: Named }) {
  const { name, plan, key_last_six: lastSix } = license;
  return (
    <span className={styles.name}>
      <span className="truncate">{name ?? plan.name}</span>{' '}
      <span className={`${styles.key} mono`}>{commonMessages.maskedKey(lastSix)}</span>
    </span>
  );
}
