import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { openEventStream } from './event-stream.ts';
import { type Run, readRun, runQuery, type Task } from './runs-api.ts';

/** A hidden tab paints no frames. The timeout keeps the progress in its title up to date. */
const FRAME_TIMEOUT_MS = 500;

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
  });

  const close = openEventStream(`/panel/runs/${runId}/events`, {
    events: {
      task: (task) => {
        changes.tasks.push(task as Task);
        batch.schedule();
      },
      run: (data) => {
        const run = data as Run;
        // The run may finish before the last task event arrives. Only `end` marks the end of the stream.
        if (run.status === 'finished') finishedRun = run;
        else changes.run = run;
        batch.schedule();
      },
      end: () => {
        close();
        changes.run = finishedRun;
        batch.flush();
      },
    },
    onOpen: () => setStreamOpen(true),
    onLost: () => {
      setStreamOpen(false);
      // EventSource hides the error code. This request redirects to sign-in if the session has ended.
      readRun(runId, { limit: 1 }).then(
        ({ status }) => status === 'finished' && reloadFinishedRun(client, runId),
        () => {},
      );
    },
  });

  return () => {
    close();
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

const CHANGED_BY_RUNS = ['site', 'sites', 'software', 'overview'];

/** Refetches the data that a run can change, except the lists of runs: they have their own event stream. */
function refreshAfterRun(client: QueryClient): void {
  void client.invalidateQueries({
    predicate: ({ queryKey }) => CHANGED_BY_RUNS.includes(String(queryKey[0])),
  });
}

/** For a run that finished while its event stream was interrupted. */
function reloadFinishedRun(client: QueryClient, runId: number): void {
  void client.invalidateQueries({ queryKey: runQuery(runId).queryKey, exact: true });
  refreshAfterRun(client);
}
