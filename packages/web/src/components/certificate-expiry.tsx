import { VisuallyHidden } from '@mantine/core';
import { type CertificateFilter, certificateEndsBefore } from '@steward/contract';
import { reachabilityMessages as messages } from '../messages/reachability.ts';
import styles from './certificate-expiry.module.css';
import { StatusLabel } from './status-label.tsx';
import { RelativeTime } from './time.tsx';

type Props = {
  expiresAt: string;
  /** A sentence that names the certificate. Otherwise only the time, with the sentence for screen readers. */
  hasText?: boolean;
};

/** When the certificate of a site expires: amber within 14 days, red afterwards. */
export function CertificateExpiry({ expiresAt, hasText = false }: Props) {
  const now = new Date();
  const isIn = (filter: CertificateFilter) =>
    new Date(expiresAt) < certificateEndsBefore(filter, now);
  const words = isIn('expired') ? messages.certificateExpired : messages.certificateExpires;
  const sentence = `${messages.certificate} ${words} `;
  const text = (
    <>
      {hasText ? sentence : <VisuallyHidden>{sentence}</VisuallyHidden>}
      <RelativeTime at={expiresAt} />
    </>
  );
  if (!isIn('expiring')) return <span className={styles.later}>{text}</span>;
  return <StatusLabel kind={isIn('expired') ? 'bad' : 'warn'}>{text}</StatusLabel>;
}
