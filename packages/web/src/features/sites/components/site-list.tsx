import type { SiteSort, SortOrder } from '@steward/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { lazyComponent } from '../../../components/lazy-component.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { useHasPermission } from '../../../lib/session.ts';
import { type Filters, pickFilters, sitesQuery, type View } from '../api.ts';
import type { ColumnWidths } from '../chosen-columns.ts';
import type { Column } from '../columns.tsx';
import { useSelection } from '../use-selection.ts';
import { SiteTable } from './site-table.tsx';

const SelectionBar = lazyComponent(() => import('./selection-bar.tsx'), 'SelectionBar');

/** The pages of the list that are loaded, and the number of all matches. */
export function useSiteList(view: View) {
  const query = useInfiniteQuery(sitesQuery(view));
  const rows = useMemo(() => query.data?.pages.flatMap(({ sites }) => sites) ?? [], [query.data]);
  return { query, rows, total: query.data?.pages[0]?.total ?? null };
}

type Props = {
  list: ReturnType<typeof useSiteList>;
  view: View;
  columns: Column[];
  layout?: 'sites' | 'installed';
  widths?: ColumnWidths | undefined;
  onSort: (sort: SiteSort, order: SortOrder) => void;
  /** Shown if no site matches. */
  empty: ReactNode;
};

/** A list of sites with the actions on selected rows. */
export function SiteList({ list, view, columns, layout = 'sites', widths, onSort, empty }: Props) {
  const { query, rows, total } = list;
  const mayAct = useHasPermission('sites.act');
  const selection = useSelection();
  const filters = useMemo<Filters>(() => pickFilters(view), [view]);
  // After a change of filters, selected sites may no longer be visible.
  const filterText = JSON.stringify(filters);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of filters clears the selection.
  useEffect(() => selection.clear(), [filterText]);
  return (
    <>
      {query.error && !query.data ? (
        <ErrorNote error={query.error} onRetry={query.refetch} />
      ) : query.isPending ? (
        <SkeletonRows rows={12} />
      ) : rows.length === 0 ? (
        empty
      ) : (
        <SiteTable
          rows={rows}
          total={total}
          columns={columns}
          layout={layout}
          widths={widths}
          isLoadingMore={query.isFetchingNextPage}
          // After an error, the table stops loading until the user retries. Otherwise it would repeat the request without end.
          hasMore={query.hasNextPage && !query.isFetchNextPageError}
          onLoadMore={() => void query.fetchNextPage()}
          view={view}
          onSort={onSort}
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
