import type { ExpiringLicense } from '@steward/contract';
import lines from '../../../components/lines.module.css';
import { Ago } from '../../../components/moment.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { count } from '../../../lib/format.ts';
import styles from './overview.module.css';

const SHOWN_AT_MOST = 8;

export function ExpiringLicenses({ licenses }: { licenses: ExpiringLicense[] }) {
  if (licenses.length === 0) {
    return <p className={styles.quiet}>None expires within the next 30 days.</p>;
  }
  return (
    <>
      <ul className={lines.list}>
        {licenses
          .slice(0, SHOWN_AT_MOST)
          .map(({ id, key_last_six, plan, expires_at, sites_used }) => (
            <li key={id} className={styles.line}>
              <TextLink
                to="/licenses/$licenseId"
                params={{ licenseId: String(id) }}
                className="mono"
              >
                …{key_last_six}
              </TextLink>
              <span className={`${styles.grow} cut`}>
                {plan}, {count(sites_used, 'site')}
              </span>
              <Ago at={expires_at} />
            </li>
          ))}
      </ul>
      {licenses.length > SHOWN_AT_MOST && (
        <TextLink to="/licenses" className={styles.more} size="sm">
          And {count(licenses.length - SHOWN_AT_MOST, 'more', 'more')}
        </TextLink>
      )}
    </>
  );
}
