import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { signedIn } from '../../http/access.ts';
import type { RunService } from './runs.service.ts';

const DEFAULT_WAIT_SECONDS = 30;
const MAX_WAIT_SECONDS = 300;

/** Enough for most plugin actions, and less than the time limit of a stopping process. */
const ACTION_GRACE_MS = 8000;

export const PreferHeader = Type.Object({
  prefer: Type.Optional(
    Type.String({
      description: `How long the panel waits for the run to finish (RFC 7240): \`respond-async\` or \`wait=SECONDS\`, at most ${MAX_WAIT_SECONDS}. Without it, the panel waits up to ${DEFAULT_WAIT_SECONDS} seconds.`,
    }),
  ),
});

/** Responds to requests that start a run. */
export function createRunResponder(
  app: Pick<FastifyInstance, 'addHook'>,
  runs: RunService,
  actionGraceMs = ACTION_GRACE_MS,
) {
  // Ends waiting requests and streams when the panel stops. The runs continue on another worker or later.
  const stopping = new AbortController();
  const actionsTimeUp = new AbortController();
  app.addHook('preClose', async () => {
    stopping.abort();
    setTimeout(() => actionsTimeUp.abort(), actionGraceMs).unref();
  });

  return {
    stopping: stopping.signal,
    /** Aborts later than `stopping`: without the result, the panel must send an error to the client of a plugin action. */
    actionsTimeUp: actionsTimeUp.signal,

    /** Responds 200 with all results if the run finishes in time, else 202 with the results so far. */
    async respondWithRun(request: FastifyRequest, reply: FastifyReply, runId: number) {
      const seconds = readWaitSeconds(request.headers.prefer as string | undefined);
      const disconnected = new AbortController();
      reply.raw.once('close', () => disconnected.abort());
      const signal = AbortSignal.any([disconnected.signal, stopping.signal]);
      await runs.waitFor(runId, seconds * 1000, signal);
      const run = await runs.show(signedIn(request).user, runId);
      return reply.code(run.status === 'finished' ? 200 : 202).send(run);
    },
  };
}

/** Reads from the Prefer header (RFC 7240) how long the client waits for the run to finish. */
export function readWaitSeconds(prefer: string | undefined): number {
  const preferences = (prefer ?? '').split(',').map((part) => part.trim().toLowerCase());
  if (preferences.includes('respond-async')) return 0;
  const wait = preferences.map((text) => /^wait\s*=\s*"?(\d+)"?$/.exec(text)?.[1]).find(Boolean);
  return wait === undefined ? DEFAULT_WAIT_SECONDS : Math.min(Number(wait), MAX_WAIT_SECONDS);
}
