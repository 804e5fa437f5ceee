import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { useHasPermission } from '../../lib/session.ts';
import { overviewMessages } from '../../messages/overview.ts';
import { NotificationWarnings } from '../notifications/index.ts';
import { overviewQuery } from './api.ts';
import { FirstSite } from './components/first-site.tsx';
import { Fleet } from './components/fleet.tsx';

// Most panels have sites and no warning, and this is the first page that users load.
const AuditWarning = lazyComponent(() => import('./components/audit-warning.tsx'), 'AuditWarning');
const Onboarding = lazyComponent(() => import('./components/onboarding.tsx'), 'Onboarding');

export function OverviewPage() {
  const isOwner = useHasPermission('owner');
  const { data, error, refetch } = useQuery(overviewQuery);
  const [wasEmpty, setWasEmpty] = useState(false);
  if (data?.sites.total === 0 && !wasEmpty) setWasEmpty(true);

  return (
    <>
      <PageHeader title={overviewMessages.title} note={data ? noteOf(data.sites.total) : ''} />
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows />}
      {data?.audit_warning && <AuditWarning warning={data.audit_warning} />}
      {isOwner && <NotificationWarnings />}
      {data?.sites.total === 0 && (isOwner ? <Onboarding /> : <NoSitesGranted />)}
      {data && data.sites.total > 0 && (
        <>
          {wasEmpty && <FirstSite />}
          <Fleet overview={data} />
        </>
      )}
    </>
  );
}

const noteOf = (total: number): string =>
  total === 0 ? overviewMessages.noSites : overviewMessages.sites(total);

function NoSitesGranted() {
  return (
    <EmptyState title={overviewMessages.noAccessTitle}>{overviewMessages.noAccess}</EmptyState>
  );
}
