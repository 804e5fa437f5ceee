import { Button, Center } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { count } from '../../lib/format.ts';
import { runningRunsQuery, runsQuery } from '../../lib/runs-api.ts';
import { useMay } from '../../lib/session.ts';
import { RunLine } from './components/run-line.tsx';
import styles from './runs-page.module.css';
import { usePeople } from './use-people.ts';

export function RunsPage() {
  const isOwner = useMay('owner');
  const { data } = useInfiniteQuery(runsQuery);
  const running = useQuery(runningRunsQuery).data?.runs.length;
  const whose = isOwner ? 'What was asked of sites, by everybody' : 'What you asked of sites';
  return (
    <>
      <PageHeader
        title="Runs"
        note={data ? `${whose}${running ? `; ${count(running, 'run')} going on` : ''}` : ''}
      />
      <RunList />
    </>
  );
}

function RunList() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(runsQuery);
  const nameOf = usePeople();
  if (!data) return error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows />;
  const runs = data.pages.flatMap((page) => page.runs);
  if (runs.length === 0) return <NoRuns />;
  return (
    <>
      {error && <ErrorNote error={error} onRetry={refetch} />}
      <ul className={styles.list} aria-label="Runs">
        {runs.map((run) => (
          <RunLine key={run.run_id} run={run} starter={nameOf(run.created_by)} />
        ))}
      </ul>
      {hasNextPage && (
        <Center mt="md">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            Load older runs
          </Button>
        </Center>
      )}
    </>
  );
}

function NoRuns() {
  const mayAct = useMay('sites.act');
  return (
    <EmptyState
      title="No runs yet"
      action={
        <Button component={Link} to="/sites">
          Go to the sites
        </Button>
      }
    >
      {mayAct
        ? 'Select sites and update or sync them. What becomes of it is shown here, live and for good.'
        : 'A run is shown to whoever started it, and to owners. What happened on a site is in its history.'}
    </EmptyState>
  );
}
