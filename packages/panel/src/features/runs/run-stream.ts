import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { signedIn } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Viewer } from '../site-access/index.ts';
import type { RunService } from './runs.service.ts';

/** A notification may be lost with its connection. Also keeps proxies from closing an idle stream. */
const LOOK_ANYWAY_MS = 3000;
/** Many sites may end within a moment; one look finds all of them. */
const GATHER_MS = 100;

type Watched = {
  runs: RunService;
  /** The user the request comes from by now; null after signing out. */
  currentViewer(): Promise<Viewer | null>;
  runId: number;
  stopping: AbortSignal;
};

/**
 * Server-sent events: `task` for each change of a task, with the number of the change as its id;
 * `run` for the state of the run; `end` when it has finished. A client that comes back with
 * Last-Event-ID gets the changes since. The stream ends for a user who has signed out, was disabled,
 * or may not see the run any more.
 */
export async function streamRun(request: FastifyRequest, reply: FastifyReply, watched: Watched) {
  const given = Number(request.headers['last-event-id'] ?? 0);
  const last = Number.isSafeInteger(given) && given >= 0 ? given : 0;
  // Before the stream begins: a run that does not exist is an answer with a status.
  await watched.runs.assertCanSee(signedIn(request).user, watched.runId);
  return reply
    .type('text/event-stream; charset=utf-8')
    .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    .send(Readable.from(eventsSince(last, watched), { objectMode: false }));
}

async function* eventsSince(last: number, watched: Watched): AsyncGenerator<string, void> {
  const { runs, currentViewer, runId, stopping } = watched;
  let lastRun = '';
  while (!stopping.aborted) {
    const user = await currentViewer();
    if (user === null) return;
    // Listens before it reads: what changes in between is news.
    const news = runs.waitForChange(runId, LOOK_ANYWAY_MS, stopping);
    const found = await runs.changes(user, runId, last).catch(nullIfNotFound);
    if (found === null) return;
    for (const { change, ...task } of found.tasks) {
      yield asEvent('task', task, change);
      last = change;
    }
    const run = JSON.stringify(found.run);
    if (run !== lastRun) yield asEvent('run', found.run);
    lastRun = run;
    if (found.tasks.length > 0) continue;
    if (found.run.status === 'finished') {
      yield asEvent('end', { run_id: runId });
      return;
    }
    if (!(await news)) yield ': alive\n\n';
    await sleep(GATHER_MS);
  }
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof AppError && error.code === 'run_not_found') return null;
  throw error;
}

function asEvent(event: string, data: unknown, id?: number): string {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return `${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
