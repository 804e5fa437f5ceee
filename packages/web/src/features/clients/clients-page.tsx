import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { useFilterBarKey } from '../../components/use-filter-bar-key.ts';
import { type ClientItem, clientsQuery } from '../../lib/clients-api.ts';
import { useHasPermission } from '../../lib/session.ts';
import { clientsMessages as messages } from '../../messages/clients.ts';
import { commonMessages } from '../../messages/common.ts';
import { ClientFilterBar, type ClientFilters } from './components/client-filter-bar.tsx';
import { ClientTable } from './components/client-table.tsx';
import { ArchiveClientDialog, ClientDialog } from './dialogs.ts';
import { selectClients } from './select-clients.ts';

const route = getRouteApi('/signed-in/clients');
const CLIENTS_PER_PAGE = 100;

/** The clients of the sites that the user may see. The URL holds the filters and the open dialog. */
export function ClientsPage() {
  const { new: newParam, client: editedId, archive: archivedId, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const isOwner = useHasPermission('owner');
  const [filterBarKey, renewFilterBar] = useFilterBarKey();
  const { data, error, refetch } = useQuery(clientsQuery);
  const open = (dialog: { new?: string; client?: string; archive?: string }) =>
    void navigate({ search: { ...filters, ...dialog } });
  const close = () => void navigate({ search: filters, replace: true });
  const change = (changes: ClientFilters) =>
    void navigate({ search: { ...filters, ...changes }, replace: true, resetScroll: false });
  const shown = data && selectClients(data, filters);
  const find = (id: string | undefined) =>
    isOwner ? data?.find((each) => String(each.id) === id) : undefined;
  const edited = find(editedId);
  const archived = find(archivedId);
  const isEmpty = shown?.length === 0 && Object.keys(filters).length === 0;
  const createButton = isOwner && (
    <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={() => open({ new: '1' })}>
      {messages.create}
    </Button>
  );
  return (
    <>
      <PageHeader
        width="reading"
        title={messages.title}
        note={shown && !isEmpty ? describeCount(shown.length, filters) : ''}
        action={isEmpty ? undefined : createButton}
      />
      {data && data.length > 0 && (
        <ClientFilterBar key={filterBarKey} filters={filters} onChange={change} />
      )}
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows />}
      {isEmpty && (
        <EmptyState title={messages.emptyTitle} action={createButton}>
          {isOwner ? messages.empty : messages.emptyForOthers}
        </EmptyState>
      )}
      {!isEmpty && shown?.length === 0 && (
        <NoMatch
          filters={filters}
          onClear={() => {
            renewFilterBar();
            void navigate({ search: {} });
          }}
        />
      )}
      {shown && shown.length > 0 && (
        <Clients
          key={JSON.stringify(filters)}
          clients={shown}
          onEdit={({ id }) => open({ client: String(id) })}
          onArchive={({ id }) => open({ archive: String(id) })}
        />
      )}
      {isOwner && newParam !== undefined && <ClientDialog onClose={close} />}
      {edited && <ClientDialog key={edited.id} client={edited} onClose={close} />}
      {archived && <ArchiveClientDialog client={archived} onClose={close} />}
    </>
  );
}

const describeCount = (count: number, { archived }: ClientFilters): string =>
  archived ? messages.archivedNote(count) : messages.note(count);

type ListProps = { clients: ClientItem[] } & Record<
  'onEdit' | 'onArchive',
  (client: ClientItem) => void
>;

/** Starts with 100 rows: a panel can have 1,000 clients. */
function Clients({ clients, ...handlers }: ListProps) {
  const [limit, setLimit] = useState(CLIENTS_PER_PAGE);
  return (
    <>
      <ClientTable clients={clients.slice(0, limit)} {...handlers} />
      {clients.length > limit && (
        <Button variant="default" mt="sm" onClick={() => setLimit(limit + CLIENTS_PER_PAGE)}>
          {messages.showMore}
        </Button>
      )}
    </>
  );
}

function NoMatch({ filters, onClear }: { filters: ClientFilters; onClear: () => void }) {
  const isSearch = filters.search !== undefined;
  return (
    <EmptyState
      title={isSearch ? messages.noMatchTitle : messages.noneArchivedTitle}
      action={
        <Button variant="default" onClick={onClear}>
          {commonMessages.clearFilters}
        </Button>
      }
    >
      {isSearch ? messages.noMatch : messages.noneArchived}
    </EmptyState>
  );
}
