import { useQuery } from '@tanstack/react-query';
import { Light } from '../../../components/light.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { firstSiteQuery } from '../api.ts';
import styles from './overview.module.css';

/** Said once, when the first site came while the page was open. */
export function FirstSite() {
  const { data: site } = useQuery(firstSiteQuery);
  return (
    <p className={styles.first} role="status">
      {site && (
        <Light look="good">
          Your first site is here:{' '}
          <TextLink to="/sites/$siteId" params={{ siteId: String(site.id) }}>
            {site.name}
          </TextLink>{' '}
          is connected.
        </Light>
      )}
    </p>
  );
}
