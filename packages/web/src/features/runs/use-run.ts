import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  type Run,
  readRun,
  refreshRunLists,
  runningRunsQuery,
  runQuery,
  type Task,
} from '../../lib/runs-api.ts';

/** A hidden tab paints no frames, but its title still shows the progress. */
const FRAME_TIMEOUT_MS = 500;
const RECONNECT_DELAY_MS = 3000;

/** A run with live changes from its event stream. */
export function useRun(runId: number) {
  const client = useQueryClient();
  const query = useQuery(runQuery(runId));
  const [isConnected, setConnected] = useState(true);
  const isRunning = query.data?.run.status === 'running';
  useEffect(() => {
    if (!isRunning) return;
    return followRun(client, runId, setConnected);
  }, [client, runId, isRunning]);
  return { ...query, isConnected: isConnected || !isRunning };
}

type Changes = { run: Run | null; tasks: Task[] };

/** Batches the events of thousands of sites into one render per frame. */
function followRun(
  client: QueryClient,
  runId: number,
  setConnected: (isConnected: boolean) => void,
): () => void {
  const key = runQuery(runId).queryKey;
  const changes: Changes = { run: null, tasks: [] };
  let source: EventSource | null = null;
  let reconnectTimer = 0;
  let finished: Run | null = null;

  const batch = createFrameBatch(() => {
    const { run, tasks } = changes;
    changes.run = null;
    changes.tasks = [];
    client.setQueryData(key, (known) => {
      if (!known) return known;
      if (tasks.length === 0) return { run: run ?? known.run, tasks: known.tasks };
      const merged = new Map(known.tasks);
      for (const task of tasks) merged.set(task.task_id, task);
      return { run: run ?? known.run, tasks: merged };
    });
    if (run?.status === 'finished') refreshAfterRun(client);
    else if (run) updateBadge(client, run);
  });

  const open = () => {
    source = new EventSource(`/panel/runs/${runId}/events`);
    source.addEventListener('open', () => setConnected(true));
    source.addEventListener('task', ({ data }) => {
      changes.tasks.push(JSON.parse(data));
      batch.schedule();
    });
    source.addEventListener('run', ({ data }) => {
      const run: Run = JSON.parse(data);
      // The run may finish before the last task event arrives. Only `end` marks the end of the stream.
      if (run.status === 'finished') finished = run;
      else changes.run = run;
      batch.schedule();
    });
    source.addEventListener('end', () => {
      source?.close();
      changes.run = finished;
      batch.flush();
    });
    source.addEventListener('error', () => {
      setConnected(false);
      // The browser reconnects automatically, except after an error response.
      if (source?.readyState !== EventSource.CLOSED) return;
      reconnectTimer = window.setTimeout(() => {
        // An ordinary request detects that the session has ended.
        readRun(runId, { limit: 1 }).catch(() => {});
        open();
      }, RECONNECT_DELAY_MS);
    });
  };
  open();

  return () => {
    clearTimeout(reconnectTimer);
    source?.close();
    batch.stop();
  };
}

/** Runs `act` in the next frame, or after a timeout when the browser paints no frames. */
function createFrameBatch(act: () => void) {
  let frame = 0;
  let timer = 0;
  const stop = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
  };
  const flush = () => {
    stop();
    act();
  };
  const schedule = () => {
    if (frame !== 0) return;
    frame = requestAnimationFrame(flush);
    timer = window.setTimeout(flush, FRAME_TIMEOUT_MS);
  };
  return { schedule, flush, stop };
}

/** Keeps the badge in the rail in step with the page of the run. */
function updateBadge(client: QueryClient, run: Run): void {
  client.setQueryData(runningRunsQuery.queryKey, (known) => {
    const runs = known?.runs.map((each) => (each.run_id === run.run_id ? run : each));
    return known && runs && { ...known, runs };
  });
}

const CHANGED_BY_RUNS = ['site', 'sites', 'overview'];

/** A run changes its sites, so cached data about sites is outdated. */
function refreshAfterRun(client: QueryClient): void {
  void refreshRunLists(client);
  void client.invalidateQueries({
    predicate: ({ queryKey }) => CHANGED_BY_RUNS.includes(String(queryKey[0])),
  });
}
