import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PageSection } from '../../components/page-section.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { plansQuery, serviceCatalogueQuery } from '../../lib/licenses-api.ts';
import { useHasPermission } from '../../lib/session.ts';
import { servicesMessages } from '../../messages/services.ts';
import { PlanTable } from './components/plan-table.tsx';
import { ServiceList } from './components/service-list.tsx';

/** The services that a license can enable on its sites. Owners also see the plans. */
export function ServicesPage() {
  const isOwner = useHasPermission('owner');
  const services = useQuery(serviceCatalogueQuery);
  const plans = useQuery({ ...plansQuery, enabled: isOwner });
  const catalogue = services.data;
  return (
    <>
      <PageHeader title={servicesMessages.title} note={servicesMessages.note} width="reading" />
      {services.error && <ErrorNote error={services.error} onRetry={services.refetch} />}
      {!catalogue && !services.error && <SkeletonRows rows={3} height={64} />}
      {catalogue?.length === 0 && (
        <EmptyState title={servicesMessages.empty.title}>
          {servicesMessages.empty.description}
        </EmptyState>
      )}
      {catalogue && catalogue.length > 0 && (
        <ServiceList services={catalogue} plans={isOwner ? plans.data : undefined} />
      )}
      {isOwner && catalogue && (
        <PageSection id="plans">
          <Title order={2} mt={32} mb="xs">
            {servicesMessages.plans.title}
          </Title>
          {plans.error && <ErrorNote error={plans.error} onRetry={plans.refetch} />}
          {!plans.data && !plans.error && <SkeletonRows rows={3} />}
          {plans.data?.length === 0 && (
            <EmptyState isSection title={servicesMessages.plans.emptyTitle}>
              {servicesMessages.plans.empty}
            </EmptyState>
          )}
          {plans.data && plans.data.length > 0 && (
            <PlanTable plans={plans.data} services={catalogue} />
          )}
        </PageSection>
      )}
    </>
  );
}
