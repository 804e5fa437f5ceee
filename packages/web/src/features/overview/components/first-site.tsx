import { useQuery } from '@tanstack/react-query';
import { StatusLabel } from '../../../components/status-label.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { overviewMessages } from '../../../messages/overview.ts';
import { firstSiteQuery } from '../api.ts';
import styles from './overview.module.css';

/** Announces the first site when it connects while the page is open. */
export function FirstSite() {
  const { data: site } = useQuery(firstSiteQuery);
  return (
    <p className={styles.first} role="status">
      {site && (
        <StatusLabel kind="good">
          {overviewMessages.firstSite.before}
          <TextLink to="/sites/$siteId" params={{ siteId: String(site.id) }}>
            {site.name}
          </TextLink>
          {overviewMessages.firstSite.after}
        </StatusLabel>
      )}
    </p>
  );
}
