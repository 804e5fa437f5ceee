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

/** A hidden tab paints no frames, and still has its progress in its title. */
const AT_LATEST_MS = 500;
const OPEN_AGAIN_MS = 3000;

/** A run as it is now: what was read first, and every change as it happens. */
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

type News = { run: Run | null; tasks: Task[] };

/** Events of thousands of sites become one change of the page for each frame. */
function followRun(
  client: QueryClient,
  runId: number,
  setConnected: (isConnected: boolean) => void,
): () => void {
  const key = runQuery(runId).queryKey;
  const news: News = { run: null, tasks: [] };
  let source: EventSource | null = null;
  let openAgain = 0;
  let finished: Run | null = null;

  const batch = onceAFrame(() => {
    const { run, tasks } = news;
    news.run = null;
    news.tasks = [];
    client.setQueryData(key, (known) => {
      if (!known) return known;
      if (tasks.length === 0) return { run: run ?? known.run, tasks: known.tasks };
      const merged = new Map(known.tasks);
      for (const task of tasks) merged.set(task.task_id, task);
      return { run: run ?? known.run, tasks: merged };
    });
    if (run?.status === 'finished') refreshAfterRun(client);
    else if (run) noteProgress(client, run);
  });

  const open = () => {
    source = new EventSource(`/panel/runs/${runId}/events`);
    source.addEventListener('open', () => setConnected(true));
    source.addEventListener('task', ({ data }) => {
      news.tasks.push(JSON.parse(data));
      batch.ask();
    });
    source.addEventListener('run', ({ data }) => {
      const run: Run = JSON.parse(data);
      // That it has finished is told before the last of its tasks may have come; the end is `end`.
      if (run.status === 'finished') finished = run;
      else news.run = run;
      batch.ask();
    });
    source.addEventListener('end', () => {
      source?.close();
      news.run = finished;
      batch.now();
    });
    source.addEventListener('error', () => {
      setConnected(false);
      // The browser tries again by itself, unless it was answered with a refusal.
      if (source?.readyState !== EventSource.CLOSED) return;
      openAgain = window.setTimeout(() => {
        // Says so, if nobody is signed in any more.
        readRun(runId, { limit: 1 }).catch(() => {});
        open();
      }, OPEN_AGAIN_MS);
    });
  };
  open();

  return () => {
    clearTimeout(openAgain);
    source?.close();
    batch.stop();
  };
}

/** `act` with the next frame, or soon when no frames are painted. */
function onceAFrame(act: () => void) {
  let frame = 0;
  let timer = 0;
  const stop = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
  };
  const now = () => {
    stop();
    act();
  };
  const ask = () => {
    if (frame !== 0) return;
    frame = requestAnimationFrame(now);
    timer = window.setTimeout(now, AT_LATEST_MS);
  };
  return { ask, now, stop };
}

/** So that the badge beside a run says what its page says. */
function noteProgress(client: QueryClient, run: Run): void {
  client.setQueryData(runningRunsQuery.queryKey, (known) => {
    const runs = known?.runs.map((each) => (each.run_id === run.run_id ? run : each));
    return known && runs && { ...known, runs };
  });
}

const CHANGED_BY_RUNS = ['site', 'sites', 'overview'];

/** What the sites have now is other than what pages have shown so far. */
function refreshAfterRun(client: QueryClient): void {
  void refreshRunLists(client);
  void client.invalidateQueries({
    predicate: ({ queryKey }) => CHANGED_BY_RUNS.includes(String(queryKey[0])),
  });
}
