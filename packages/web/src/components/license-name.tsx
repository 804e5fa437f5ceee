import { commonMessages } from '../messages/common.ts';
import styles from './license-name.module.css';
import { NameText } from './name-text.tsx';

type NamedLicense = { name: string | null; plan: { name: string }; key_last_six: string };

/** "Studio Berlin …37XBEC": the name of the license or of its plan, and the last six characters of the key. */
export function LicenseName({ license }: { license: NamedLicense }) {
  const { name, plan, key_last_six: lastSix } = license;
  return (
    <span className={styles.name}>
      <NameText>{name ?? plan.name}</NameText>{' '}
      <span className={`${styles.key} mono`}>{commonMessages.maskedKey(lastSix)}</span>
    </span>
  );
}
