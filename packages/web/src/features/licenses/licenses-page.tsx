import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { OwnersOnly } from '../../components/owners-only.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { count, formatNumber } from '../../lib/format.ts';
import { licensesQuery } from '../../lib/licenses-api.ts';
import { CreateLicenseDialog } from './components/create-license-dialog.tsx';
import { LicenseFilterBar } from './components/license-filter-bar.tsx';
import { LicenseTable } from './components/license-table.tsx';
import { OWNERS_HINT } from './license-words.ts';

const route = getRouteApi('/signed-in/licenses');

export function LicensesPage() {
  return (
    <OwnersOnly title="Licenses" hint={OWNERS_HINT}>
      <Licenses />
    </OwnersOnly>
  );
}

function Licenses() {
  const { new: isNew, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(licensesQuery(filters));
  const pages = list.data?.pages;
  const licenses = pages?.flatMap((page) => page.licenses);
  const isFiltered = Object.keys(filters).length > 0;
  const isFirst = licenses?.length === 0 && !isFiltered;
  const openDialog = () => navigate({ search: { ...filters, new: '1' } });
  const create = (
    <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={openDialog}>
      Create license
    </Button>
  );

  return (
    <>
      <PageHeader
        title="Licenses"
        note={noteOf(pages?.[0]?.total ?? null, isFiltered)}
        action={isFirst ? undefined : create}
      />
      {!isFirst && (
        <LicenseFilterBar
          filters={filters}
          onChange={(changed) =>
            navigate({ search: { ...filters, ...changed }, replace: true, resetScroll: false })
          }
        />
      )}
      {list.error && <ErrorNote error={list.error} onRetry={list.refetch} />}
      {!licenses && !list.error && <SkeletonRows />}
      {isFirst && (
        <EmptyState title="No licenses yet" action={create}>
          A license lets a number of sites connect to this panel. Create one, then put its key into
          the plugin on each site.
        </EmptyState>
      )}
      {licenses?.length === 0 && isFiltered && (
        <EmptyState
          title="No license matches"
          action={
            <Button variant="default" onClick={() => navigate({ search: {} })}>
              Clear filters
            </Button>
          }
        >
          Licenses are found by the last characters of their key and by the name of their plan.
        </EmptyState>
      )}
      {licenses && licenses.length > 0 && <LicenseTable licenses={licenses} />}
      {list.hasNextPage && (
        <Button
          variant="default"
          mt="sm"
          loading={list.isFetchingNextPage}
          onClick={() => list.fetchNextPage()}
        >
          Show more licenses
        </Button>
      )}
      {isNew !== undefined && (
        <CreateLicenseDialog onClose={() => navigate({ search: filters, replace: true })} />
      )}
    </>
  );
}

function noteOf(total: { count: number; is_exact: boolean } | null, isFiltered: boolean): string {
  if (!total || (total.count === 0 && !isFiltered)) return '';
  const number = total.is_exact
    ? count(total.count, 'license')
    : `More than ${formatNumber(total.count)} licenses`;
  return isFiltered ? `${number} ${total.count === 1 ? 'matches' : 'match'}` : number;
}
