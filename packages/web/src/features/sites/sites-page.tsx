import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ScheduleSelection } from '@steward/contract';
import { IconCalendarTime, IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { Blockable } from '../../components/blockable.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { useFilterBarKey } from '../../components/use-filter-bar-key.ts';
import { useHasPermission } from '../../lib/session.ts';
import { schedulesMessages } from '../../messages/schedules.ts';
import { sitesMessages } from '../../messages/sites.ts';
import { ConnectDialog } from '../licenses/index.ts';
import { ScheduleDialog } from '../schedules/index.ts';
import { FILTERS, type Filters, sitesQuery } from './api.ts';
import { SiteFilters } from './components/site-filters.tsx';
import { SiteTable } from './components/site-table.tsx';
import { useSelection } from './use-selection.ts';

const SelectionBar = lazyComponent(() => import('./components/selection-bar.tsx'), 'SelectionBar');

const messages = sitesMessages.page;
const route = getRouteApi('/signed-in/sites');

export function SitesPage() {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const mayAct = useHasPermission('sites.act');
  const selection = useSelection();
  const filters = useMemo(() => pickFilters(view), [view]);
  const [filterBarKey, renewFilterBar] = useFilterBarKey();
  const query = useInfiniteQuery(sitesQuery(view));
  const rows = useMemo(() => query.data?.pages.flatMap(({ sites }) => sites) ?? [], [query.data]);
  const total = query.data?.pages[0]?.total ?? null;
  const isFiltered = Object.keys(filters).length > 0;

  // After a change of filters, selected sites may no longer be visible.
  const filterText = JSON.stringify(filters);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of filters clears the selection.
  useEffect(() => selection.clear(), [filterText]);

  const change = (changes: Partial<typeof view>) =>
    navigate({ search: (previous) => ({ ...previous, ...changes }), replace: true });
  const clear = () => {
    renewFilterBar();
    void change(NO_FILTERS);
  };

  return (
    <>
      <PageHeader
        title={messages.title}
        note={total && describeTotal(total, isFiltered)}
        action={
          <>
            {mayAct && rows.length > 0 && !filters.archived && <ScheduleButton filters={filters} />}
            <ConnectButton />
          </>
        }
      />
      <SiteFilters key={filterBarKey} filters={filters} onChange={change} onClear={clear} />
      {query.error && !query.data ? (
        <ErrorNote error={query.error} onRetry={query.refetch} />
      ) : query.isPending ? (
        <SkeletonRows rows={12} />
      ) : rows.length === 0 ? (
        <NoSites
          isFiltered={isFiltered}
          onReset={() => {
            renewFilterBar();
            void navigate({ search: {}, replace: true });
          }}
        />
      ) : (
        <SiteTable
          rows={rows}
          total={total}
          isLoadingMore={query.isFetchingNextPage}
          // After an error, the table stops loading until the user retries. Otherwise it would repeat the request without end.
          hasMore={query.hasNextPage && !query.isFetchNextPageError}
          onLoadMore={() => void query.fetchNextPage()}
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

const NO_FILTERS: Filters = Object.fromEntries(FILTERS.map((name) => [name, undefined]));

function pickFilters(view: Record<string, string | undefined>): Filters {
  return Object.fromEntries(FILTERS.flatMap((name) => (view[name] ? [[name, view[name]]] : [])));
}

function describeTotal(total: { count: number; is_exact: boolean }, isFiltered: boolean): string {
  return isFiltered ? messages.matching(total) : messages.total(total);
}

/** Creates a schedule for the sites that match the filters, also for sites that match later. */
function ScheduleButton({ filters }: { filters: Filters }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconCalendarTime size={15} aria-hidden />}
        onClick={dialog.open}
      >
        {schedulesMessages.scheduleUpdates}
      </Button>
      {isOpen && <ScheduleDialog selection={filters as ScheduleSelection} onClose={dialog.close} />}
    </>
  );
}

/** Managers see the button too: it says whom to ask. */
function ConnectButton() {
  const [isOpen, dialog] = useDisclosure(false);
  const isOwner = useHasPermission('owner');
  if (!useHasPermission('sites.act')) return null;
  return (
    <>
      <Blockable reason={isOwner ? null : messages.connectOwnersOnly}>
        <Button
          variant={isOwner ? 'filled' : 'default'}
          leftSection={<IconPlus size={15} aria-hidden />}
          onClick={dialog.open}
        >
          {messages.connect}
        </Button>
      </Blockable>
      {isOpen && <ConnectDialog onClose={dialog.close} />}
    </>
  );
}

function NoSites({ isFiltered, onReset }: { isFiltered: boolean; onReset: () => void }) {
  const isOwner = useHasPermission('owner');
  if (isFiltered) {
    return (
      <EmptyState
        title={messages.noMatchTitle}
        action={
          <Button variant="default" onClick={onReset}>
            {messages.showAll}
          </Button>
        }
      >
        {messages.noMatch}
      </EmptyState>
    );
  }
  return isOwner ? (
    <EmptyState
      title={messages.emptyTitle}
      action={
        <Button component={Link} to="/">
          {messages.showHow}
        </Button>
      }
    >
      {messages.empty}
    </EmptyState>
  ) : (
    <EmptyState title={messages.noAccessTitle}>{messages.noAccess}</EmptyState>
  );
}
