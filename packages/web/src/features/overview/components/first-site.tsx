import { useQuery } from '@tanstack/react-query';
import { Light } from '../../../components/light.tsx';
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
        <Light look="good">
          {overviewMessages.firstSite.before}
          <TextLink to="/sites/$siteId" params={{ siteId: String(site.id) }}>
            {site.name}
          </TextLink>
          {overviewMessages.firstSite.after}
        </Light>
      )}
    </p>
  );
}
