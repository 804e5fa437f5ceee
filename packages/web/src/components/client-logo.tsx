import { type ClientItem, logoUrl } from '../lib/clients-api.ts';
import styles from './client-logo.module.css';

/** The logo of a client, or the first letter of its name. The name is always beside it, so it says nothing to screen readers. */
export function ClientLogo({ client }: { client: ClientItem }) {
  const url = logoUrl(client);
  if (url !== null) return <img src={url} alt="" className={styles.logo} />;
  const [initial = ''] = client.name;
  return (
    <span className={`${styles.logo} ${styles.initial}`} aria-hidden>
      {initial.toUpperCase()}
    </span>
  );
}
