import type { FastifyReply, FastifyRequest } from 'fastify';
import { signedIn } from '../../plugins/access.ts';
import type { RunService } from './runs.service.ts';

const KEEP_ALIVE_MS = 15_000;
/** A notification may be lost with its connection. */
const LOOK_ANYWAY_MS = 3000;

/**
 * Server-sent events: `task` for each change of a task, with the number of the change as its id;
 * `run` for how the run stands; `end` when it has finished. Whoever comes back with Last-Event-ID
 * gets what has changed since.
 */
export async function streamRun(
  runs: RunService,
  request: FastifyRequest,
  reply: FastifyReply,
  runId: number,
): Promise<void> {
  const { user } = signedIn(request);
  let last = Number(request.headers['last-event-id'] ?? 0);
  if (!Number.isSafeInteger(last) || last < 0) last = 0;
  // Before the stream begins: whether there is such a run is an answer with a status.
  let news = await runs.changes(user, runId, last);

  reply.hijack();
  const stream = reply.raw;
  const headers = reply.getHeaders() as Record<string, string>;
  stream.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  let isOpen = true;
  let wake = () => {};
  const stopListening = runs.onNews(() => wake());
  const keepAlive = setInterval(() => stream.write(': alive\n\n'), KEEP_ALIVE_MS);
  stream.once('close', () => {
    isOpen = false;
    wake();
  });

  const send = (event: string, data: unknown, id?: number) =>
    stream.write(
      `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
    );

  try {
    let lastRun = '';
    while (isOpen) {
      for (const { change, ...task } of news.tasks) {
        send('task', task, change);
        last = change;
      }
      const run = JSON.stringify(news.run);
      if (run !== lastRun) send('run', news.run);
      lastRun = run;
      if (news.tasks.length === 0) {
        if (news.run.status === 'finished') {
          send('end', { run_id: runId });
          break;
        }
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, LOOK_ANYWAY_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      if (isOpen) news = await runs.changes(user, runId, last);
    }
  } catch (error) {
    request.log.warn({ reason: String(error) }, 'The events of a run ended early.');
  } finally {
    clearInterval(keepAlive);
    stopListening();
    stream.end();
  }
}
