import { Button, Tabs } from '@mantine/core';
import type { SoftwareType } from '@steward/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CsvButton } from '../../components/csv-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { LinkButton } from '../../components/text-link.tsx';
import { useFilterBarKey } from '../../components/use-filter-bar-key.ts';
import { useHasPermission } from '../../lib/session.ts';
import { softwareExportUrl, softwareQuery } from '../../lib/software-api.ts';
import { SOFTWARE_TYPES } from '../../lib/software-types.ts';
import { commonMessages } from '../../messages/common.ts';
import { softwareMessages } from '../../messages/software.ts';
import { InstallButton } from './components/install-button.tsx';
import { SoftwareFilters } from './components/software-filters.tsx';
import { SoftwareTable } from './components/software-table.tsx';
import { readView } from './view.ts';

const SavedViews = lazyComponent(() => import('../../components/saved-views.tsx'), 'SavedViews');
const route = getRouteApi('/signed-in/software');
const messages = softwareMessages.list;

export function SoftwarePage() {
  const params = route.useSearch();
  const navigate = route.useNavigate();
  const view = readView(params);
  const { type } = view;
  const mayAct = useHasPermission('sites.act');
  const [filterBarKey, renewFilterBar] = useFilterBarKey();
  const list = useInfiniteQuery(softwareQuery(view));
  const software = list.data?.pages.flatMap((page) => page.software);
  const total = list.data?.pages[0]?.total ?? null;
  const isFiltered = view.search !== undefined || view.filter !== undefined;
  const change = (changes: Partial<typeof params>) =>
    navigate({
      search: (previous) => ({ ...previous, ...changes }),
      replace: true,
      resetScroll: false,
    });

  return (
    <>
      <PageHeader
        title={softwareMessages.title}
        note={type === 'core' ? messages.coreNote : describeTotal(type, total, isFiltered)}
        action={
          <>
            <SavedViews page="software" onOpen={renewFilterBar} />
            {mayAct && <InstallButton />}
          </>
        }
      />
      <Tabs
        value={type}
        onChange={(tab) => navigate({ search: (previous) => ({ ...previous, type: tab ?? '' }) })}
        keepMounted={false}
      >
        <Tabs.List aria-label={softwareMessages.tabsLabel}>
          {SOFTWARE_TYPES.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {softwareMessages.tabs[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={type} pt="sm">
          {type !== 'core' && (
            <SoftwareFilters
              key={`${type} ${filterBarKey}`}
              type={type}
              view={view}
              onChange={change}
            >
              {software && software.length > 0 && <CsvButton href={softwareExportUrl(view)} />}
            </SoftwareFilters>
          )}
          {list.error && !list.data && <ErrorNote error={list.error} onRetry={list.refetch} />}
          {!software && !list.error && <SkeletonRows height={48} />}
          {software?.length === 0 &&
            (isFiltered ? (
              <NoMatch
                type={type}
                onClear={() => {
                  renewFilterBar();
                  void change({ search: undefined, filter: undefined });
                }}
              />
            ) : (
              <NoSoftware type={type} />
            ))}
          {software && software.length > 0 && (
            <SoftwareTable
              software={software}
              view={view}
              onSort={
                type === 'core' ? undefined : (sort, direction) => change({ sort, direction })
              }
            />
          )}
          {list.error && list.data && (
            <ErrorNote
              error={list.error}
              onRetry={() =>
                list.isFetchNextPageError ? void list.fetchNextPage() : void list.refetch()
              }
            />
          )}
          {list.hasNextPage && !list.isFetchNextPageError && (
            <Button
              variant="default"
              mt="sm"
              loading={list.isFetchingNextPage}
              onClick={() => list.fetchNextPage()}
            >
              {messages.showMore(type)}
            </Button>
          )}
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function NoMatch({ type, onClear }: { type: SoftwareType; onClear: () => void }) {
  return (
    <EmptyState
      title={messages.noMatchTitles[type]}
      action={
        <Button variant="default" onClick={onClear}>
          {commonMessages.clearFilters}
        </Button>
      }
    >
      {messages.noMatch}
    </EmptyState>
  );
}

function NoSoftware({ type }: { type: SoftwareType }) {
  return (
    <EmptyState
      title={messages.emptyTitles[type]}
      action={
        <LinkButton to="/sites" variant="default">
          {messages.goToSites}
        </LinkButton>
      }
    >
      {messages.empty}
    </EmptyState>
  );
}

function describeTotal(
  type: SoftwareType,
  total: { count: number; is_exact: boolean } | null,
  isFiltered: boolean,
): string {
  if (!total || (total.count === 0 && !isFiltered)) return '';
  return (isFiltered ? messages.matching : messages.total)(type, total);
}
