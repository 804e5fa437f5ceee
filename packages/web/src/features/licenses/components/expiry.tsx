import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { Ago } from '../../../components/moment.tsx';
import styles from './expiry.module.css';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOTICE_DAYS = 30;

/** When a license ends; amber when that is near. */
export function Expiry({ at }: { at: string | null }) {
  if (at === null) return <span>never</span>;
  const days = (new Date(at).getTime() - Date.now()) / DAY_MS;
  const isNear = days >= 0 && days <= NOTICE_DAYS;
  return (
    <span className={isNear ? styles.near : undefined}>
      {isNear && <IconAlertTriangleFilled size={13} aria-label="soon:" role="img" />}
      <Ago at={at} />
    </span>
  );
}
