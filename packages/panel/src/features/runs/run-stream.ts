import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import { signedIn } from '../../plugins/access.ts';
import type { Viewer } from '../site-access/site-access.service.ts';
import type { RunService } from './runs.service.ts';

const KEEP_ALIVE_MS = 15_000;
/** A notification may be lost with its connection. */
const LOOK_ANYWAY_MS = 3000;
const GATHER_MS = 100;

type Watched = {
  runs: RunService;
  /** Who the request comes from by now; null when nobody is signed in with it any more. */
  whoWatches(): Promise<Viewer | null>;
  runId: number;
  stopping: AbortSignal;
};

/**
 * Server-sent events: `task` for each change of a task, with the number of the change as its id;
 * `run` for how the run stands; `end` when it has finished. Whoever comes back with Last-Event-ID
 * gets what has changed since. Before each look it is asked again who watches: it ends for somebody
 * who has signed out, was disabled, or may not see the run any more.
 */
export async function streamRun(
  request: FastifyRequest,
  reply: FastifyReply,
  { runs, whoWatches, runId, stopping }: Watched,
): Promise<void> {
  let last = Number(request.headers['last-event-id'] ?? 0);
  if (!Number.isSafeInteger(last) || last < 0) last = 0;
  // Before the stream begins: whether there is such a run is an answer with a status.
  let news = await runs.changes(signedIn(request).user, runId, last);

  reply.hijack();
  const stream = reply.raw;
  const headers = reply.getHeaders() as Record<string, string>;
  stream.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  // Whoever asked may be gone by now.
  let isOpen = !stream.destroyed && !stopping.aborted;
  let hasNews = false;
  let wake = () => {};
  const stopListening = runs.onNews(runId, () => {
    hasNews = true;
    wake();
  });
  const keepAlive = setInterval(() => stream.write(': alive\n\n'), KEEP_ALIVE_MS);
  const close = () => {
    isOpen = false;
    wake();
  };
  stream.once('close', close);
  stopping.addEventListener('abort', close);

  const send = async (event: string, data: unknown, id?: number) => {
    const head = id === undefined ? '' : `id: ${id}\n`;
    const isTaken = stream.write(`${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (isTaken || !isOpen) return;
    // A reader that is slower than the sites must not fill our memory.
    await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
  };

  try {
    let lastRun = '';
    while (isOpen) {
      for (const { change, ...task } of news.tasks) {
        await send('task', task, change);
        last = change;
      }
      const run = JSON.stringify(news.run);
      if (run !== lastRun) await send('run', news.run);
      lastRun = run;
      if (news.tasks.length === 0) {
        if (news.run.status === 'finished') {
          await send('end', { run_id: runId });
          break;
        }
        if (!hasNews) await nextNews();
        hasNews = false;
        // Many sites may end within a moment; one look tells of all of them.
        await sleep(GATHER_MS);
      }
      const user = isOpen ? await whoWatches() : null;
      if (user === null) break;
      news = await runs.changes(user, runId, last);
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'run_not_found') return;
    request.log.warn({ reason: String(error) }, 'The events of a run ended early.');
  } finally {
    clearInterval(keepAlive);
    stopListening();
    stopping.removeEventListener('abort', close);
    stream.end();
  }

  function nextNews(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_ANYWAY_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
