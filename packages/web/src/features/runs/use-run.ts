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

/** A hidden tab paints no frames. The timeout keeps the progress in its title up to date. */
const FRAME_TIMEOUT_MS = 500;
const RECONNECT_DELAY_MS = 3000;

/** Reads a run and keeps it up to date from its event stream. `isConnectionLost`: the stream is interrupted. */
export function useRun(runId: number) {
  const client = useQueryClient();
  const query = useQuery(runQuery(runId));
  const [isStreamOpen, setStreamOpen] = useState(true);
  const isRunning = query.data?.run.status === 'running';
  useEffect(() => {
    if (!isRunning) return;
    return followRun(client, runId, setStreamOpen);
  }, [client, runId, isRunning]);
  return { ...query, isConnectionLost: isRunning && !isStreamOpen };
}

type Changes = { run: Run | null; tasks: Task[] };

/** Applies the event stream to the cached run, at most once per frame. Returns a function that stops it. */
function followRun(
  client: QueryClient,
  runId: number,
  setStreamOpen: (isStreamOpen: boolean) => void,
): () => void {
  const key = runQuery(runId).queryKey;
  const changes: Changes = { run: null, tasks: [] };
  let source: EventSource | null = null;
  let reconnectTimer = 0;
  let finishedRun: Run | null = null;

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
    source.addEventListener('open', () => setStreamOpen(true));
    source.addEventListener('task', ({ data }) => {
      changes.tasks.push(JSON.parse(data));
      batch.schedule();
    });
    source.addEventListener('run', ({ data }) => {
      const run: Run = JSON.parse(data);
      // The run may finish before the last task event arrives. Only `end` marks the end of the stream.
      if (run.status === 'finished') finishedRun = run;
      else changes.run = run;
      batch.schedule();
    });
    source.addEventListener('end', () => {
      source?.close();
      changes.run = finishedRun;
      batch.flush();
    });
    source.addEventListener('error', () => {
      setStreamOpen(false);
      // The browser reconnects automatically, except after an error response.
      if (source?.readyState !== EventSource.CLOSED) return;
      reconnectTimer = window.setTimeout(() => {
        // EventSource hides the error code. This request redirects to sign-in if the session has ended.
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

/** Calls `apply` in the next frame, or after a timeout if the browser paints no frames. */
function createFrameBatch(apply: () => void) {
  let frame = 0;
  let timer = 0;
  const stop = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
  };
  const flush = () => {
    stop();
    apply();
  };
  const schedule = () => {
    if (frame !== 0) return;
    frame = requestAnimationFrame(flush);
    timer = window.setTimeout(flush, FRAME_TIMEOUT_MS);
  };
  return { schedule, flush, stop };
}

/** Shows the progress of the run page in the badge of the rail too. */
function updateBadge(client: QueryClient, run: Run): void {
  client.setQueryData(runningRunsQuery.queryKey, (known) => {
    const runs = known?.runs.map((each) => (each.run_id === run.run_id ? run : each));
    return known && runs && { ...known, runs };
  });
}

const CHANGED_BY_RUNS = ['site', 'sites', 'software', 'overview'];

/** Refetches the run lists, and the other data that a run can change. */
function refreshAfterRun(client: QueryClient): void {
  void refreshRunLists(client);
  void client.invalidateQueries({
    predicate: ({ queryKey }) => CHANGED_BY_RUNS.includes(String(queryKey[0])),
  });
}
