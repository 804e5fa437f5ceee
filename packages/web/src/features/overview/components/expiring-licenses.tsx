import type { ExpiringLicense } from '@steward/contract';
import { LicenseName } from '../../../components/license-name.tsx';
import lines from '../../../components/lines.module.css';
import { TextLink } from '../../../components/text-link.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { overviewMessages } from '../../../messages/overview.ts';
import styles from './overview.module.css';

const messages = overviewMessages.licenses;
const MAX_SHOWN = 8;

export function ExpiringLicenses({ licenses }: { licenses: ExpiringLicense[] }) {
  if (licenses.length === 0) {
    return <p className={styles.quiet}>{messages.none}</p>;
  }
  return (
    <>
      <ul className={lines.list}>
        {licenses.slice(0, MAX_SHOWN).map(({ id, key_last_six, plan, expires_at, sites_used }) => (
          <li key={id} className={styles.line}>
            <span className={styles.grow}>
              <TextLink to="/licenses/$licenseId" params={{ licenseId: String(id) }}>
                <LicenseName plan={plan} lastSix={key_last_six} />
              </TextLink>
            </span>
            <span className="tabular">{overviewMessages.sites(sites_used)}</span>
            <RelativeTime at={expires_at} />
          </li>
        ))}
      </ul>
      {licenses.length > MAX_SHOWN && (
        <TextLink to="/licenses" className={styles.more} size="sm">
          {messages.more(licenses.length - MAX_SHOWN)}
        </TextLink>
      )}
    </>
  );
}
