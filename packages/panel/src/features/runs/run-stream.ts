import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { signedIn } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { CurrentUser } from '../site-access/index.ts';
import type { RunService } from './runs.service.ts';

const POLL_MS = 3000;
/** Many tasks may end at nearly the same time; one query reads all of them. */
const DEBOUNCE_MS = 100;
/** At most one list per second and stream: its query counts the tasks of all running runs. */
const LIST_GATHER_MS = 1000;

export type StreamTiming = {
  /** A stream polls in addition to notifications, which are lost when their connection breaks. */
  pollMs?: number;
  /** Pause between two lists of running runs. */
  listGatherMs?: number;
};

export const RUN_EVENTS_DESCRIPTION =
  'Events: `task`, with a changed task as in the results of the run; `run`, with the state of the run; `end`, after the run has finished. The panel sends `run` at least every few seconds: a silent stream is broken.';

export const RUNS_EVENTS_DESCRIPTION =
  'Event: `runs`, with `runs`, the newest 200 running runs of your list, and `newest_run_id`, the id of the newest run, also if it has finished; null: there is none. The panel sends it after changes and at least every few seconds: a silent stream is broken. The stream has no end.';

export const LastEventIdHeader = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'The id of the last event. The stream continues after it.' }),
  ),
});

type StreamOptions = {
  runs: RunService;
  /** Returns the user of the session; null if the session has ended or its user may no longer view runs. */
  findCurrentUser(): Promise<CurrentUser | null>;
  stopping: AbortSignal;
  timing?: StreamTiming | undefined;
};
type RunStreamOptions = StreamOptions & { runId: number };

/**
 * Streams a run as server-sent events. `task`: a changed task; its event id is the change number. `run`: the
 * state of the run. `end`: the run has finished. A client that reconnects with Last-Event-ID gets the later
 * changes. The stream ends if the user signs out, is disabled, or loses access to the run.
 */
export async function streamRun(
  request: FastifyRequest,
  reply: FastifyReply,
  options: RunStreamOptions,
) {
  const lastEventId = Number(request.headers['last-event-id'] ?? 0);
  const after = Number.isSafeInteger(lastEventId) && lastEventId >= 0 ? lastEventId : 0;
  // Check first: a missing run must return 404, which is impossible after the stream has started.
  await options.runs.assertCanView(signedIn(request).user, options.runId);
  return sendEvents(reply, readRunEvents(after, options));
}

/**
 * Streams all running runs of the user as server-sent events. The stream ends only if the user signs out or is disabled,
 * or if the panel stops.
 */
export const streamRuns = (reply: FastifyReply, options: StreamOptions) =>
  sendEvents(reply, readRunsEvents(options));

const sendEvents = (reply: FastifyReply, events: AsyncGenerator<string, void>) =>
  reply
    .type('text/event-stream; charset=utf-8')
    .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    .send(Readable.from(events, { objectMode: false }));

async function* readRunEvents(
  after: number,
  options: RunStreamOptions,
): AsyncGenerator<string, void> {
  const { runs, findCurrentUser, runId, stopping } = options;
  const { pollMs = POLL_MS } = options.timing ?? {};
  let lastChange = after;
  let lastRun = '';
  while (!stopping.aborted) {
    const user = await findCurrentUser();
    if (user === null) return;
    // Subscribe before reading, so that a change in between is not missed.
    const nextChange = runs.waitForChange(runId, pollMs, stopping);
    const changes = await runs.listChanges(user, runId, lastChange).catch(nullIfNotFound);
    if (changes === null) return;
    for (const { changeNumber, ...task } of changes.tasks) {
      yield formatEvent('task', task, changeNumber);
      lastChange = changeNumber;
    }
    const run = JSON.stringify(changes.run);
    if (run !== lastRun) yield formatEvent('run', changes.run);
    lastRun = run;
    if (changes.tasks.length > 0) {
      await sleep(DEBOUNCE_MS);
      continue;
    }
    if (changes.run.status === 'finished') {
      yield formatEvent('end', { run_id: runId });
      return;
    }
    // Sends the run again although it is unchanged: proxies close idle streams, and clients detect silent ones.
    if (!(await nextChange)) lastRun = '';
    await sleep(DEBOUNCE_MS);
  }
}

async function* readRunsEvents(options: StreamOptions): AsyncGenerator<string, void> {
  const { runs, findCurrentUser, stopping } = options;
  const { pollMs = POLL_MS, listGatherMs = LIST_GATHER_MS } = options.timing ?? {};
  while (!stopping.aborted) {
    const user = await findCurrentUser();
    if (user === null) return;
    const nextChange = runs.waitForChange(null, pollMs, stopping);
    yield formatEvent('runs', await runs.listRunning(user));
    await nextChange;
    await sleep(listGatherMs, undefined, { signal: stopping }).catch(() => {});
  }
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof AppError && error.code === 'run_not_found') return null;
  throw error;
}

function formatEvent(event: string, data: unknown, id?: number): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
