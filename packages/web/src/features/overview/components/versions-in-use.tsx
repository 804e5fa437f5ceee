import type { Overview, VersionsInUse as Versions } from '@steward/contract';
import type { ReactNode } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { VersionsBar } from '../../../components/versions-bar.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { overviewMessages } from '../../../messages/overview.ts';
import styles from './versions-in-use.module.css';

const messages = overviewMessages.versions;

/** The versions of the CMS link to their sites. Sites cannot be filtered by PHP version, so PHP links to the sorted list. */
export function VersionsInUse({ versions: { cms, php } }: { versions: Overview['versions'] }) {
  if (!cms && !php)
    return (
      <EmptyState isSection title={messages.emptyTitle}>
        {messages.empty}
      </EmptyState>
    );
  return (
    <dl className={styles.versions}>
      {cms && (
        <Distribution
          title={
            <SoftwareLink type="core" slug="core">
              {messages.cms}
            </SoftwareLink>
          }
          item={cms}
          renderVersion={(version) => (
            <TextLink
              to="/sites"
              search={{ software_type: 'core', software: 'core', software_version: version }}
            >
              {version}
            </TextLink>
          )}
        />
      )}
      {php && (
        <Distribution
          title={
            <TextLink to="/sites" search={{ sort: 'php_version', order: 'asc' }}>
              {messages.php}
            </TextLink>
          }
          item={php}
          renderVersion={(version) => version}
        />
      )}
    </dl>
  );
}

type Props = { title: ReactNode; item: Versions; renderVersion: (version: string) => ReactNode };

function Distribution({ title, item, renderVersion }: Props) {
  return (
    <div className={styles.distribution}>
      <dt className={styles.title}>{title}</dt>
      <dd className={styles.bar}>
        <VersionsBar item={item} isWide />
      </dd>
      {item.versions.map(({ version, sites }) => (
        <dd key={version} className={`${styles.version} tabular`}>
          {renderVersion(version)} <span className={styles.sites}>{formatNumber(sites)}</span>
        </dd>
      ))}
      {item.other_versions > 0 && (
        <dd className={styles.version}>
          <span className={styles.sites}>{messages.others(item.other_versions)}</span>
        </dd>
      )}
    </div>
  );
}
