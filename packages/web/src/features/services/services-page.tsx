import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { count } from '../../lib/format.ts';
import { plansQuery, serviceCatalogueQuery } from '../../lib/licenses-api.ts';
import { useMay } from '../../lib/session.ts';
import { PlanTable } from './components/plan-table.tsx';
import { ServiceList } from './components/service-list.tsx';

/** What licenses can switch on at a site, and for owners which plans have it. */
export function ServicesPage() {
  const isOwner = useMay('owner');
  const services = useQuery(serviceCatalogueQuery);
  const plans = useQuery({ ...plansQuery, enabled: isOwner });
  const catalogue = services.data;
  return (
    <>
      <PageHeader
        title="Services"
        note={catalogue ? `${count(catalogue.length, 'service')} that a license can bring` : ''}
      />
      {services.error && <ErrorNote error={services.error} onRetry={services.refetch} />}
      {!catalogue && !services.error && <SkeletonRows rows={3} height={64} />}
      {catalogue?.length === 0 && (
        <EmptyState title="The catalogue is empty">
          Services come with the panel. Bring it up to date to get them.
        </EmptyState>
      )}
      {catalogue && catalogue.length > 0 && (
        <ServiceList services={catalogue} plans={isOwner ? plans.data : undefined} />
      )}
      {isOwner && catalogue && (
        <section>
          <Title order={2} mt={32} mb="xs">
            Plans
          </Title>
          {plans.error && <ErrorNote error={plans.error} onRetry={plans.refetch} />}
          {!plans.data && !plans.error && <SkeletonRows rows={3} />}
          {plans.data?.length === 0 && (
            <Text c="dimmed">
              There is no plan yet. The first license you create makes its plan.
            </Text>
          )}
          {plans.data && plans.data.length > 0 && (
            <PlanTable plans={plans.data} services={catalogue} />
          )}
        </section>
      )}
    </>
  );
}
