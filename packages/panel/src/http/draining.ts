import { Server } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** A turn of the event loop that handles a request takes longer. */
const QUIET_TURN_MS = 0.2;
const MAX_TURNS = 1000;

/**
 * Lets the clients of a stopping process move to another one. Responses close their connection: a client that sends its
 * next request on a connection that the process is closing cannot know whether that request was processed. Returns a
 * function that reports whether the process is stopping.
 */
export function drainConnections(app: FastifyInstance, draining: AbortSignal): () => boolean {
  let isClosing = false;
  const isDraining = () => isClosing || draining.aborted;
  app.addHook('preClose', async () => {
    isClosing = true;
    await closePort(app);
  });
  // Not `onRequest`: a request from before the signal must close its connection too.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining()) reply.header('connection', 'close');
    done(null, payload);
  });
  return isDraining;
}

/**
 * Closes the port and idle connections at a moment when no new connection waits: the system would reset it.
 * Node.js accepts one connection per turn of the event loop, so after a short turn without a connection there are none.
 */
async function closePort({ server }: FastifyInstance): Promise<void> {
  let isQuiet = false;
  const onConnection = () => {
    isQuiet = false;
  };
  server.on('connection', onConnection);
  for (let turn = 0; !isQuiet && turn < MAX_TURNS; turn++) {
    isQuiet = true;
    const startedAt = performance.now();
    await setImmediate();
    if (performance.now() - startedAt > QUIET_TURN_MS) isQuiet = false;
  }
  // Directly, because Fastify needs milliseconds until it closes the server.
  Server.prototype.close.call(server);
  server.closeIdleConnections();
  server.off('connection', onConnection);
}
