import { CERTIFICATE_NOTICE_DAYS } from '@steward/contract';
import { reachabilityMessages as messages } from '../messages/reachability.ts';
import styles from './certificate-expiry.module.css';
import { StatusLabel } from './status-label.tsx';
import { RelativeTime } from './time.tsx';

const DAY_MS = 86_400_000;

type Props = {
  expiresAt: string;
  /** A sentence that names the certificate. Otherwise only the time, with the sentence for screen readers. */
  hasText?: boolean;
};

/** When the certificate of a site expires: amber within 14 days, red afterwards. */
export function CertificateExpiry({ expiresAt, hasText = false }: Props) {
  const leftMs = new Date(expiresAt).getTime() - Date.now();
  const words = leftMs < 0 ? messages.certificateExpired : messages.certificateExpires;
  const text = (
    <>
      <span className={hasText ? undefined : styles.unseen}>
        {messages.certificate} {words}{' '}
      </span>
      <RelativeTime at={expiresAt} />
    </>
  );
  if (leftMs > CERTIFICATE_NOTICE_DAYS * DAY_MS) {
    return <span className={styles.later}>{text}</span>;
  }
  return <StatusLabel kind={leftMs < 0 ? 'bad' : 'warn'}>{text}</StatusLabel>;
}
