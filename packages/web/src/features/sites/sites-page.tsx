import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ScheduleSelection } from '@steward/contract';
import { IconCalendarTime, IconPlus } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Blockable } from '../../components/blockable.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useFilterBarKey } from '../../components/use-filter-bar-key.ts';
import { useHasPermission } from '../../lib/session.ts';
import { schedulesMessages } from '../../messages/schedules.ts';
import { sitesMessages } from '../../messages/sites.ts';
import { ConnectDialog } from '../licenses/index.ts';
import { ScheduleDialog } from '../schedules/index.ts';
import { FILTERS, type Filters, pickFilters, type View } from './api.ts';
import { chooseColumns } from './chosen-columns.ts';
import { ALL_COLUMNS } from './columns.tsx';
import { SiteFilters } from './components/site-filters.tsx';
import { SiteList, useSiteList } from './components/site-list.tsx';
import { useUsualColumns } from './use-usual-columns.ts';

const SavedViews = lazyComponent(() => import('../../components/saved-views.tsx'), 'SavedViews');
const ListOptions = lazyComponent(() => import('./components/list-options.tsx'), 'ListOptions');

const messages = sitesMessages.page;
const route = getRouteApi('/signed-in/sites');

export function SitesPage() {
  const search = route.useSearch();
  const { columns: chosenText } = search;
  const view = useMemo<View>(() => {
    const { columns: _, ...rest } = search;
    return rest;
  }, [search]);
  const navigate = route.useNavigate();
  const mayAct = useHasPermission('sites.act');
  const filters = useMemo(() => pickFilters(view), [view]);
  const [filterBarKey, renewFilterBar] = useFilterBarKey();
  const list = useSiteList(view);
  const { rows, total } = list;
  const isFiltered = Object.keys(filters).length > 0;
  const chosen = useMemo(() => chooseColumns(ALL_COLUMNS, chosenText), [chosenText]);
  const usual = useUsualColumns();
  const columns = chosen?.columns ?? usual;

  const change = (changes: ReturnType<typeof route.useSearch>) =>
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
            <SavedViews page="sites" onOpen={renewFilterBar} />
            {mayAct && rows.length > 0 && !filters.archived && <ScheduleButton filters={filters} />}
            <ConnectButton />
          </>
        }
      />
      <SiteFilters key={filterBarKey} filters={filters} onChange={change} onClear={clear}>
        {rows.length > 0 && (
          <ListOptions
            view={view}
            all={ALL_COLUMNS}
            shown={columns}
            usual={usual}
            onChoose={(text) => change({ columns: text })}
          />
        )}
      </SiteFilters>
      <SiteList
        list={list}
        view={view}
        columns={columns}
        widths={chosen?.widths}
        onSort={(sort, order) => change({ sort, order })}
        empty={
          <NoSites
            isFiltered={isFiltered}
            onReset={() => {
              renewFilterBar();
              void navigate({ search: {}, replace: true });
            }}
          />
        }
      />
    </>
  );
}

const NO_FILTERS: Filters = Object.fromEntries(FILTERS.map((name) => [name, undefined]));

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
