import { Text, Title } from '@mantine/core';
import type { SiteDetails } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ErrorNote } from '../../components/error-note.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { errorCodeOf } from '../../lib/api.ts';
import { useHasPermission } from '../../lib/session.ts';
import { siteHref } from '../../lib/site-name.ts';
import { failureMessages } from '../../messages/failures.ts';
import { siteMessages } from '../../messages/site.ts';
import { sitesMessages } from '../../messages/sites.ts';
import { UpdateHoldNote } from '../run-dialogs/index.ts';
import { AlarmBanner } from './components/alarm-banner.tsx';
import { ArchivedBanner, ArchiveSection } from './components/archive-section.tsx';
import { FaultBanner } from './components/fault-banner.tsx';
import { InventoryTables } from './components/inventory-tables.tsx';
import { ItemErrors } from './components/item-errors.tsx';
import { PreflightBanner } from './components/preflight-banner.tsx';
import { RequestedEndpointNote } from './components/requested-endpoint-note.tsx';
import { SiteActions } from './components/site-actions.tsx';
import { SiteFacts } from './components/site-facts.tsx';
import { SiteStatusLabel } from './components/site-status-label.tsx';
import { SiteTags } from './components/site-tags.tsx';
import { SyncError } from './components/sync-error.tsx';
import { siteQuery } from './site-api.ts';
import styles from './site-page.module.css';
import { updateOfSite } from './update-of-site.ts';
import { useSyncSite } from './use-sync-site.ts';

// The code of these sections follows with their data.
const SiteAbout = lazyComponent(() => import('./components/site-about.tsx'), 'SiteAbout');
const Reachability = lazyComponent(() => import('./components/reachability.tsx'), 'Reachability');
const SiteBackups = lazyComponent(() => import('./components/site-backups.tsx'), 'SiteBackups');
const SiteHistory = lazyComponent(() => import('./components/site-history.tsx'), 'SiteHistory');
const VersionChanges = lazyComponent(
  () => import('./components/version-changes.tsx'),
  'VersionChanges',
);

const messages = siteMessages.page;
const BACK = { to: '/sites', label: sitesMessages.page.title } as const;

export function SitePage() {
  const { siteId } = useParams({ from: '/signed-in/sites/$siteId' });
  const id = /^[1-9]\d{0,14}$/.test(siteId) ? Number(siteId) : 0;
  const { data, error, refetch } = useQuery(siteQuery(id));
  if (error && ['site_not_found', 'invalid_request'].includes(errorCodeOf(error) ?? '')) {
    return (
      <NotFound entity={messages.noun} back={BACK}>
        {messages.notFoundReason}
      </NotFound>
    );
  }
  if (data) return <FoundSite key={id} site={data.site} />;
  return (
    <>
      <PageHeader title={messages.title} note="" back={BACK} />
      {error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows rows={12} />}
    </>
  );
}

function FoundSite({ site }: { site: SiteDetails }) {
  const mayAct = useHasPermission('sites.act');
  const sync = useSyncSite(site);
  return (
    <>
      <PageHeader
        title={site.name}
        back={BACK}
        note={
          <span className={styles.state}>
            <SiteStatusLabel site={site} />
            <a
              href={siteHref(site.url)}
              target="_blank"
              rel="noreferrer"
              title={site.url}
              className={styles.website}
            >
              {failureMessages.openWebsite}
            </a>
          </span>
        }
        action={mayAct ? <SiteActions site={site} sync={sync} /> : undefined}
      />
      <UpdateHoldNote {...updateOfSite(site)} />
      <SyncError site={site} sync={sync} />
      <ArchivedBanner site={site} />
      <AlarmBanner site={site} />
      <FaultBanner site={site} />
      <PreflightBanner site={site} />
      <RequestedEndpointNote site={site} />
      <SiteFacts site={site} />
      <SiteAbout site={site} />
      <SiteTags site={site} />
      <Reachability siteId={site.id} />
      <SiteBackups site={site} />
      <ItemErrors site={site} />
      <InventoryTables site={site} />
      <section className={styles.section}>
        <Title order={2}>{messages.history}</Title>
        <Text c="dimmed" size="sm" mb="xs">
          {messages.historyNote}
        </Text>
        <SiteHistory siteId={site.id} />
      </section>
      <section className={styles.section}>
        <Title order={2}>{messages.versionChanges}</Title>
        <Text c="dimmed" size="sm" mb="xs">
          {messages.versionChangesNote}
        </Text>
        <VersionChanges siteId={site.id} />
      </section>
      <section className={styles.section}>
        <ArchiveSection site={site} />
      </section>
    </>
  );
}
