import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { count, formatNumber } from '../../lib/format.ts';
import { useMay } from '../../lib/session.ts';
import { FILTERS, type Filters, sitesQuery } from './api.ts';
import { SelectionBar } from './components/selection-bar.tsx';
import { SiteFilters } from './components/site-filters.tsx';
import { SiteTable } from './components/site-table.tsx';
import { useSelection } from './use-selection.ts';

const route = getRouteApi('/signed-in/sites');

export function SitesPage() {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const mayAct = useMay('sites.act');
  const selection = useSelection();
  const filters = useMemo(() => filtersOf(view), [view]);
  const query = useInfiniteQuery(sitesQuery(view));
  const rows = useMemo(() => query.data?.pages.flatMap(({ sites }) => sites) ?? [], [query.data]);
  const total = query.data?.pages[0]?.total ?? null;
  const isFiltered = Object.keys(filters).length > 0;

  // Whatever was selected may not be in sight any more.
  const filterText = JSON.stringify(filters);
  // biome-ignore lint/correctness/useExhaustiveDependencies: ends with the filters it was made in.
  useEffect(() => selection.clear(), [filterText]);

  const change = (changes: Partial<typeof view>) =>
    navigate({ search: (before) => ({ ...before, ...changes }), replace: true });

  return (
    <>
      <PageHeader
        title="Sites"
        note={total && countWords(total, isFiltered)}
        action={<ConnectButton />}
      />
      <SiteFilters filters={filters} onChange={change} />
      {query.error && !query.data ? (
        <ErrorNote error={query.error} onRetry={query.refetch} />
      ) : query.isPending ? (
        <SkeletonRows rows={12} />
      ) : rows.length === 0 ? (
        <NoSites isFiltered={isFiltered} onReset={() => navigate({ search: {}, replace: true })} />
      ) : (
        <SiteTable
          rows={rows}
          total={total}
          isLoadingMore={query.isFetchingNextPage}
          // Not by itself once a page could not be had: it would be asked for without end.
          hasMore={query.hasNextPage && !query.isFetchNextPageError}
          onNeedMore={() => void query.fetchNextPage()}
          view={view}
          onSort={(sort, order) => change({ sort, order })}
          selection={mayAct ? selection : null}
        />
      )}
      {query.isFetchNextPageError && (
        <ErrorNote error={query.error} onRetry={() => query.fetchNextPage()} />
      )}
      {selection.ids.size > 0 && (
        <SelectionBar selection={selection} loaded={rows} filters={filters} total={total} />
      )}
    </>
  );
}

function filtersOf(view: Record<string, string | undefined>): Filters {
  return Object.fromEntries(FILTERS.flatMap((name) => (view[name] ? [[name, view[name]]] : [])));
}

function countWords(total: { count: number; is_exact: boolean }, isFiltered: boolean): string {
  const words = total.is_exact
    ? count(total.count, 'site')
    : `${formatNumber(total.count)} sites or more`;
  return isFiltered ? `${words} match` : words;
}

/** A site connects itself, with a license: that is where one begins. */
function ConnectButton() {
  if (!useMay('owner')) return null;
  return (
    <Button component={Link} to="/licenses" leftSection={<IconPlus size={15} />}>
      Connect a site
    </Button>
  );
}

function NoSites({ isFiltered, onReset }: { isFiltered: boolean; onReset: () => void }) {
  const isOwner = useMay('owner');
  if (isFiltered) {
    return (
      <EmptyState
        title="No site matches"
        action={
          <Button variant="default" onClick={onReset}>
            Show all sites
          </Button>
        }
      >
        Search for less of the name, or take a filter away.
      </EmptyState>
    );
  }
  return isOwner ? (
    <EmptyState
      title="No site is connected yet"
      action={
        <Button component={Link} to="/">
          Show me how
        </Button>
      }
    >
      A site appears here as soon as its plugin has a license key.
    </EmptyState>
  ) : (
    <EmptyState title="You have not been granted a site yet">
      Ask an owner of the panel for access to the sites you look after.
    </EmptyState>
  );
}
