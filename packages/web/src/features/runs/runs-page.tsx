import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ActivityList } from '../../components/activity-list.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { runningRunsQuery, runsQuery } from '../../lib/runs-api.ts';
import { useHasPermission } from '../../lib/session.ts';
import { runsMessages } from '../../messages/runs.ts';
import { RunLine } from './components/run-line.tsx';
import { useStarterNames } from './use-starter-names.ts';

const messages = runsMessages.list;

export function RunsPage() {
  const isOwner = useHasPermission('owner');
  const { data } = useInfiniteQuery(runsQuery);
  const running = useQuery(runningRunsQuery).data?.runs.length;
  const history = isOwner ? messages.history : messages.ownHistory;
  return (
    <>
      <PageHeader
        title={messages.title}
        note={data ? [history, ...(running ? [messages.running(running)] : [])].join(', ') : ''}
      />
      <RunList />
    </>
  );
}

function RunList() {
  const query = useInfiniteQuery(runsQuery);
  const { data, error, refetch } = query;
  const nameStarter = useStarterNames();
  if (!data) return error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows />;
  const runs = data.pages.flatMap((page) => page.runs);
  if (runs.length === 0) return <NoRuns />;
  return (
    <>
      {error && <ErrorNote error={error} onRetry={refetch} />}
      <ActivityList label={messages.title} query={query} loadOlder={messages.loadOlder}>
        {runs.map((run) => (
          <RunLine key={run.run_id} run={run} starter={nameStarter(run)} />
        ))}
      </ActivityList>
    </>
  );
}

function NoRuns() {
  const mayAct = useHasPermission('sites.act');
  return (
    <EmptyState
      title={messages.emptyTitle}
      action={
        <Button component={Link} to="/sites">
          {messages.goToSites}
        </Button>
      }
    >
      {mayAct ? messages.emptyForManagers : messages.emptyForViewers}
    </EmptyState>
  );
}
