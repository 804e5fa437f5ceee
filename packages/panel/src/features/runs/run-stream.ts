import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { signedIn } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { CurrentUser } from '../site-access/index.ts';
import type { RunService } from './runs.service.ts';

/** Polls in addition to notifications, which are lost when their connection breaks. */
const POLL_INTERVAL_MS = 3000;
/** Many tasks may end at nearly the same time; one query reads all of them. */
const DEBOUNCE_MS = 100;
/** A comment line keeps proxies from closing an idle stream. */
const KEEP_ALIVE = ': alive\n\n';

export const RUN_EVENTS_DESCRIPTION =
  'Events: `task`, with a changed task as in the results of the run; `run`, with the state of the run; `end`, after the run has finished.';

export const LastEventIdHeader = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ description: 'The id of the last event. The stream continues after it.' }),
  ),
});

type StreamOptions = {
  runs: RunService;
  /** Returns the user of the session; null if the session has ended or its user may no longer view runs. */
  findCurrentUser(): Promise<CurrentUser | null>;
  runId: number;
  stopping: AbortSignal;
};

/**
 * Streams a run as server-sent events. `task`: a changed task; its event id is the change number. `run`: the
 * state of the run. `end`: the run has finished. A client that reconnects with Last-Event-ID gets the later
 * changes. The stream ends if the user signs out, is disabled, or loses access to the run.
 */
export async function streamRun(
  request: FastifyRequest,
  reply: FastifyReply,
  options: StreamOptions,
) {
  const lastEventId = Number(request.headers['last-event-id'] ?? 0);
  const after = Number.isSafeInteger(lastEventId) && lastEventId >= 0 ? lastEventId : 0;
  // Check first: a missing run must return 404, which is impossible after the stream has started.
  await options.runs.assertCanView(signedIn(request).user, options.runId);
  return reply
    .type('text/event-stream; charset=utf-8')
    .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    .send(Readable.from(readEvents(after, options), { objectMode: false }));
}

async function* readEvents(after: number, options: StreamOptions): AsyncGenerator<string, void> {
  const { runs, findCurrentUser, runId, stopping } = options;
  let lastChange = after;
  let lastRun = '';
  while (!stopping.aborted) {
    const user = await findCurrentUser();
    if (user === null) return;
    // Subscribe before reading, so that a change in between is not missed.
    const nextChange = runs.waitForChange(runId, POLL_INTERVAL_MS, stopping);
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
    if (!(await nextChange)) yield KEEP_ALIVE;
    await sleep(DEBOUNCE_MS);
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
