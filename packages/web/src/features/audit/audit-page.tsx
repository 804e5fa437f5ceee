import { Button, Group, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { OwnersOnly } from '../../components/owners-only.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { useFilterBarKey } from '../../components/use-filter-bar-key.ts';
import type { Names } from '../../lib/describe-audit-record.ts';
import { formatTimestamp } from '../../lib/format.ts';
import { usersQuery } from '../../lib/users-api.ts';
import { auditMessages } from '../../messages/audit.ts';
import { commonMessages } from '../../messages/common.ts';
import { auditQuery, exportUrl, type RecordPage } from './api.ts';
import { AuditFilters } from './components/audit-filters.tsx';
import { AuditList } from './components/audit-list.tsx';
import { type AuditSearch, isFiltered } from './filters.ts';

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
        action={<ExportButtons search={search} />}
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
  const names = useNames(data?.pages ?? []);
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

function useNames(pages: RecordPage[]): Names {
  const { data } = useQuery(usersQuery);
  const users = new Map(data?.users.map(({ id, name }) => [String(id), name]));
  const sites = new Map(pages.flatMap((page) => page.sites.map(({ id, name }) => [id, name])));
  return {
    user: (id) => users.get(id),
    site: (id) => (typeof id === 'number' ? sites.get(id) : undefined),
  };
}
