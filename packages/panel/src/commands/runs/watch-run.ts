import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandContext } from '../command-context.ts';
import type { PanelConnection } from '../panel-api/connect-panel.ts';
import type { PanelApi, Run } from '../panel-api/panel-api.ts';
import { PanelError } from '../panel-api/panel-error.ts';
import type { PanelOptions } from '../panel-options.ts';
import { countTasks, exitCodeOf, PROBLEM_STATUSES } from './describe-run.ts';
import { printRun } from './print-run.ts';
import { createProgress, type Progress } from './progress.ts';

const POLL_MS = 1000;
const RETRY_SECONDS = 2;
/** Longer than a restart of the panel takes. */
const GIVE_UP_MINUTES = 10;
const RUNNING_SITES_SHOWN = 3;
const PROBLEMS_SHOWN = 50;
/** As shells report a program that Ctrl+C has ended. */
const INTERRUPTED = 130;

/** The shell command that shows this run again. */
export const watchCommand = (runId: number) => `steward run watch ${runId}`;

/**
 * Shows the progress of a run until it has finished, then its result, and sets the exit code. A lost connection is opened
 * again. Ctrl+C ends the watching, never the run.
 */
export async function watchRun(
  context: CommandContext,
  options: PanelOptions,
  runId: number,
  { hasConnected = false, details = {} }: { hasConnected?: boolean; details?: object } = {},
): Promise<void> {
  const progress = createProgress(context, options);
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.once('SIGINT', onInterrupt);
  try {
    const run = await follow(context, options, runId, {
      ...{ progress, hasConnected, signal: interrupt.signal },
    });
    progress.end();
    if (run === null) {
      context.printNotice(`The run continues. To watch it again: ${watchCommand(runId)}`);
      return context.endWith(INTERRUPTED);
    }
    if (options.json) context.printJson({ ...details, run });
    else printRun(context, run);
    context.endWith(exitCodeOf(run));
  } catch (error) {
    progress.end();
    throw error;
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}

/** `hasConnected`: the panel has responded to this command before. */
type Watcher = { progress: Progress; hasConnected: boolean; signal: AbortSignal };

/** Tries again after a transient error, if the panel has responded before. Returns null after an interrupt. */
async function follow(
  context: CommandContext,
  options: PanelOptions,
  runId: number,
  watcher: Watcher,
): Promise<Run | null> {
  const { progress, signal } = watcher;
  let respondedAt = watcher.hasConnected ? performance.now() : null;
  const onResponse = () => {
    respondedAt = performance.now();
  };
  while (!signal.aborted) {
    try {
      return await context.withApi(options, async (api, connection) => {
        await warnIfNoWorker(context, connection);
        const isFinished = await poll(api, runId, { progress, signal, onResponse });
        return isFinished ? readResult(api, runId, options) : null;
      });
    } catch (error) {
      const isTransient = error instanceof PanelError && error.isTransient;
      if (!isTransient || respondedAt === null) throw error;
      if (performance.now() - respondedAt > GIVE_UP_MINUTES * 60_000) throw error;
      progress.showLostConnection(error.message);
      await wait((error.retryAfterSeconds ?? RETRY_SECONDS) * 1000, signal);
    }
  }
  return null;
}

/** Returns false after an interrupt. */
async function poll(
  api: PanelApi,
  runId: number,
  { progress, signal, onResponse }: Omit<Watcher, 'hasConnected'> & { onResponse(): void },
): Promise<boolean> {
  const query = { status: 'running', limit: String(RUNNING_SITES_SHOWN) } as const;
  while (!signal.aborted) {
    const run = await api.showRun(runId, query);
    onResponse();
    progress.show(run);
    if (run.status === 'finished') return true;
    await wait(POLL_MS, signal);
  }
  return false;
}

/** Reads all tasks for --json, otherwise only tasks with a problem: the first of each status. */
export async function readResult(
  api: PanelApi,
  runId: number,
  { json }: PanelOptions,
): Promise<Run> {
  if (json) return api.showRun(runId);
  const run = await api.showRun(runId, { limit: '1' });
  const results: Run['results'] = [];
  for (const status of PROBLEM_STATUSES) {
    if (countTasks(run, [status]) === 0) continue;
    results.push(...(await api.showRun(runId, { status, limit: String(PROBLEMS_SHOWN) })).results);
  }
  return { ...run, results };
}

export async function warnIfNoWorker(
  context: CommandContext,
  connection: PanelConnection,
): Promise<void> {
  if ((await connection.isWorkerRunning()) !== false) return;
  context.printNotice('The run waits until a worker is running. To start one: steward serve');
}

const wait = (milliseconds: number, signal: AbortSignal) =>
  sleep(milliseconds, undefined, { signal }).catch(() => {});
