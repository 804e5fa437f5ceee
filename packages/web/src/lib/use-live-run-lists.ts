import type { RunsEvent, RunsResponse } from '@steward/contract';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Static } from 'typebox';
import { openEventStream } from './event-stream.ts';
import {
  type Run,
  recentRunsQuery,
  refreshRunLists,
  runningRunsQuery,
  runsQuery,
} from './runs-api.ts';

type RunPage = Static<typeof RunsResponse>;

/** Keeps all lists of runs up to date from the event stream of the running runs. */
export function useLiveRunLists(): void {
  const client = useQueryClient();
  useEffect(() => {
    let close = () => {};
    const openIfVisible = () => {
      close();
      // Browsers open only six connections to an HTTP/1.1 server. Hidden tabs must not use them up.
      close = document.hidden ? () => {} : followRunLists(client);
    };
    openIfVisible();
    document.addEventListener('visibilitychange', openIfVisible);
    return () => {
      document.removeEventListener('visibilitychange', openIfVisible);
      close();
    };
  }, [client]);
}

const followRunLists = (client: QueryClient) =>
  openEventStream('/panel/runs/events', {
    events: { runs: (event) => applyEvent(client, event as Static<typeof RunsEvent>) },
    onLost: () => void refreshRunLists(client, KEEP_REQUESTS),
  });

/** Events and failed attempts to connect follow each other faster than a long list loads. */
const KEEP_REQUESTS = { cancelRefetch: false };

function applyEvent(client: QueryClient, { runs, newest_run_id }: Static<typeof RunsEvent>): void {
  const running = new Map(runs.map((run) => [run.run_id, run]));
  const update = (page: RunPage): RunPage => ({
    ...page,
    runs: page.runs.map((run) => running.get(run.run_id) ?? run),
  });
  // Compares the event with the list, not with the last event, which may have been missed. Requests of lists may also
  // read a replica that has the change later than this event.
  const isOutdated = (list: Run[]) =>
    (newest_run_id !== null && list.every(({ run_id }) => run_id < newest_run_id)) ||
    list.some(({ run_id, status }) => status === 'running' && !running.has(run_id));

  client.setQueryData(runningRunsQuery.queryKey, { success: true, runs });
  const recent = client.setQueryData(recentRunsQuery.queryKey, (data) => data && update(data));
  const all = client.setQueryData(
    runsQuery.queryKey,
    (data) => data && { ...data, pages: data.pages.map(update) },
  );
  for (const [{ queryKey }, pages] of [
    [recentRunsQuery, recent && [recent]],
    [runsQuery, all?.pages],
  ] as const) {
    if (!pages || !isOutdated(pages.flatMap((page) => page.runs))) continue;
    void client.invalidateQueries({ queryKey }, KEEP_REQUESTS);
  }
}
