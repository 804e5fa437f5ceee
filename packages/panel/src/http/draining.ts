import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** A turn of the event loop without work is shorter than this. */
const IDLE_TURN_MS = 0.2;
const MAX_TURNS = 200;

/**
 * Lets the clients of a stopping process move to another one. Responses close their connection: a client that sends its
 * next request on a connection that the process is closing cannot know whether it was processed. Returns whether the
 * process is stopping.
 */
export function drainConnections(app: FastifyInstance, draining: AbortSignal): () => boolean {
  let isClosing = false;
  const isDraining = () => isClosing || draining.aborted;
  app.addHook('preClose', async () => {
    isClosing = true;
    await waitForIdleTurn();
  });
  // Not `onRequest`: a request from before the signal must close its connection too.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining()) reply.header('connection', 'close');
    done(null, payload);
  });
  return isDraining;
}

/**
 * The system resets connections that it has established and the process has not accepted when the port closes. After an
 * idle turn of the event loop there are none.
 */
async function waitForIdleTurn(): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const startedAt = performance.now();
    await setImmediate();
    if (performance.now() - startedAt < IDLE_TURN_MS) return;
  }
}
