import { StatusLabel } from '../../../components/status-label.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { siteName } from '../../../lib/site-name.ts';
import { connectMessages } from '../../../messages/connect.ts';
import { useNewSites } from '../use-new-sites.ts';
import styles from './connect-steps.module.css';

const MAX_SHOWN = 3;

/** The newest of the sites that connect while the dialog is open. */
export function NewSites({ licenseId }: { licenseId: number }) {
  const sites = useNewSites(licenseId);
  return (
    <div className={styles.state} role="status">
      {sites.length === 0 ? (
        <StatusLabel kind="running">{connectMessages.waiting}</StatusLabel>
      ) : (
        sites.slice(0, MAX_SHOWN).map((site) => (
          <StatusLabel key={site.site_id} kind="good">
            <TextLink to="/sites/$siteId" params={{ siteId: String(site.site_id) }}>
              {siteName(site)}
            </TextLink>{' '}
            {connectMessages.isConnected}
          </StatusLabel>
        ))
      )}
    </div>
  );
}
