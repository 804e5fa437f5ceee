import { Button, Group, Text } from '@mantine/core';
import type { AuditNamedType } from '@steward/contract';
import { IconDownload } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { OwnersOnly } from '../../components/owners-only.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { useFilterBarKey } from '../../components/use-filter-bar-key.ts';
import { formatTimestamp } from '../../lib/format.ts';
import { auditMessages } from '../../messages/audit.ts';
import { commonMessages } from '../../messages/common.ts';
import { auditQuery, exportUrl, type RecordPage } from './api.ts';
import { AuditFilters } from './components/audit-filters.tsx';
import { AuditList, type EntityNames } from './components/audit-list.tsx';
import { type AuditSearch, isFiltered } from './filters.ts';

const SavedViews = lazyComponent(() => import('../../components/saved-views.tsx'), 'SavedViews');
const route = getRouteApi('/signed-in/audit');

export function AuditPage() {
  return (
    <OwnersOnly title={auditMessages.title}>
      <AuditLog />
    </OwnersOnly>
  );
}

function AuditLog() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (filters: AuditSearch) =>
    void navigate({ search: (previous) => ({ ...previous, ...filters }), replace: true });
  const [filterBarKey, renewFilterBar] = useFilterBarKey();
  const clear = () => {
    renewFilterBar();
    void navigate({ search: {}, replace: true });
  };
  return (
    <>
      <PageHeader
        title={auditMessages.title}
        note={auditMessages.note}
        action={
          <>
            <SavedViews page="audit" onOpen={renewFilterBar} />
            <ExportButtons search={search} />
          </>
        }
      />
      <AuditFilters key={filterBarKey} search={search} onChange={change} onClear={clear} />
      <Records search={search} onClear={clear} />
    </>
  );
}

function ExportButtons({ search }: { search: AuditSearch }) {
  return (
    <>
      {(['csv', 'jsonl'] as const).map((format) => (
        <Button
          key={format}
          component="a"
          variant="default"
          href={exportUrl(search, format)}
          download
          leftSection={<IconDownload size={15} aria-hidden />}
        >
          {auditMessages.export(format)}
        </Button>
      ))}
    </>
  );
}

function Records({ search, onClear }: { search: AuditSearch; onClear: () => void }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    auditQuery(search),
  );
  const names = readNames(data?.pages ?? []);
  if (error && !data) return <ErrorNote error={error} onRetry={refetch} />;
  if (!data) return <SkeletonRows rows={12} />;
  const records = data.pages.flatMap((page) => page.records);
  const completeFrom = <CompleteFrom time={data.pages.at(-1)?.complete_from ?? null} />;
  if (records.length === 0 && !hasNextPage) {
    return (
      <>
        <NoRecords search={search} onClear={onClear} />
        {completeFrom}
      </>
    );
  }
  return (
    <>
      <AuditList records={records} names={names} />
      {error && <ErrorNote error={error} onRetry={() => fetchNextPage()} />}
      {hasNextPage && (
        <Group justify="center" mt="md" gap="sm">
          {records.length === 0 && <Text c="dimmed">{auditMessages.noMatchYet}</Text>}
          <Button
            variant="default"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {records.length === 0 ? auditMessages.searchOlder : auditMessages.loadOlder}
          </Button>
        </Group>
      )}
      {completeFrom}
    </>
  );
}

function CompleteFrom({ time }: { time: string | null }) {
  if (time === null) return null;
  return (
    <Text c="dimmed" size="sm" mt="md">
      {auditMessages.completeFrom(formatTimestamp(time))}
    </Text>
  );
}

function NoRecords({ search, onClear }: { search: AuditSearch; onClear: () => void }) {
  if (!isFiltered(search)) {
    return <EmptyState title={auditMessages.emptyTitle}>{auditMessages.empty}</EmptyState>;
  }
  return (
    <EmptyState
      title={auditMessages.noMatchTitle}
      action={
        <Button variant="default" onClick={onClear}>
          {commonMessages.clearFilters}
        </Button>
      }
    >
      {auditMessages.noMatch}
    </EmptyState>
  );
}

function readNames(pages: RecordPage[]): EntityNames {
  const names = new Map(
    pages.flatMap((page) => page.names.map(({ type, id, name }) => [`${type} ${id}`, name])),
  );
  const find = (type: AuditNamedType, id: unknown) => names.get(`${type} ${id}`) ?? undefined;
  return {
    user: (id) => find('user', id),
    site: (id) => find('site', id),
    license: (id) => find('license', id),
    exists: (type, id) => names.has(`${type} ${id}`),
  };
}
