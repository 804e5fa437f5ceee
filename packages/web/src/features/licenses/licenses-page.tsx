import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { OwnersOnly } from '../../components/owners-only.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { useFilterBarKey } from '../../components/use-filter-bar-key.ts';
import { licensesQuery } from '../../lib/licenses-api.ts';
import { commonMessages } from '../../messages/common.ts';
import { licensesMessages } from '../../messages/licenses.ts';
import { LicenseFilterBar } from './components/license-filter-bar.tsx';
import { LicenseTable } from './components/license-table.tsx';
import { CreateLicenseDialog } from './dialogs.ts';

const route = getRouteApi('/signed-in/licenses');
const messages = licensesMessages.list;

export function LicensesPage() {
  return (
    <OwnersOnly title={licensesMessages.title} hint={licensesMessages.ownersHint}>
      <Licenses />
    </OwnersOnly>
  );
}

function Licenses() {
  const { new: newParam, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const [filterBarKey, renewFilterBar] = useFilterBarKey();
  const list = useInfiniteQuery(licensesQuery(filters));
  const pages = list.data?.pages;
  const licenses = pages?.flatMap((page) => page.licenses);
  const isFiltered = Object.keys(filters).length > 0;
  const isEmpty = licenses?.length === 0 && !isFiltered;
  const openDialog = () => navigate({ search: { ...filters, new: '1' } });
  const createButton = (
    <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={openDialog}>
      {licensesMessages.create}
    </Button>
  );

  return (
    <>
      <PageHeader
        title={licensesMessages.title}
        note={describeTotal(pages?.[0]?.total ?? null, isFiltered)}
        action={isEmpty ? undefined : createButton}
      />
      {!isEmpty && (
        <LicenseFilterBar
          key={filterBarKey}
          filters={filters}
          onChange={(changes) =>
            navigate({
              search: (previous) => ({ ...previous, ...changes }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      )}
      {list.error && <ErrorNote error={list.error} onRetry={list.refetch} />}
      {!licenses && !list.error && <SkeletonRows />}
      {isEmpty && (
        <EmptyState title={messages.emptyTitle} action={createButton}>
          {messages.empty}
        </EmptyState>
      )}
      {licenses?.length === 0 && isFiltered && (
        <EmptyState
          title={messages.noMatchTitle}
          action={
            <Button
              variant="default"
              onClick={() => {
                renewFilterBar();
                void navigate({ search: {} });
              }}
            >
              {commonMessages.clearFilters}
            </Button>
          }
        >
          {messages.noMatch}
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
          {messages.showMore}
        </Button>
      )}
      {newParam !== undefined && (
        <CreateLicenseDialog onClose={() => navigate({ search: filters, replace: true })} />
      )}
    </>
  );
}

function describeTotal(
  total: { count: number; is_exact: boolean } | null,
  isFiltered: boolean,
): string {
  if (!total || (total.count === 0 && !isFiltered)) return '';
  return (isFiltered ? messages.matching : messages.total)(total.count, total.is_exact);
}
