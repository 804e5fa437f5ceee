import type { LicenseSummary } from '@steward/contract';
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { RelativeTime } from '../../../components/time.tsx';
import { commonMessages } from '../../../messages/common.ts';
import { licensesMessages } from '../../../messages/licenses.ts';
import styles from './expiry-time.module.css';

const DAY_MS = 24 * 60 * 60 * 1000;
const WARNING_DAYS = 30;

type Props = { license: Pick<LicenseSummary, 'expires_at' | 'status'> };

/** The time at which a license expires. Amber during the last 30 days. A revoked license has no expiry any more. */
export function ExpiryTime({ license: { expires_at: at, status } }: Props) {
  if (status === 'revoked') return <span>{licensesMessages.neverValidAgain}</span>;
  if (at === null) return <span>{commonMessages.never}</span>;
  const days = (new Date(at).getTime() - Date.now()) / DAY_MS;
  const isNear = days >= 0 && days <= WARNING_DAYS;
  return (
    <span className={isNear ? styles.near : undefined}>
      {isNear && (
        <IconAlertTriangleFilled size={13} aria-label={licensesMessages.expiresSoon} role="img" />
      )}
      <RelativeTime at={at} />
    </span>
  );
}
