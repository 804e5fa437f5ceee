import { setTimeout as sleep } from 'node:timers/promises';
import type { Channels } from '../../platform/channels.ts';
import { RUN_CHANNEL } from '../runs/index.ts';
import { type AdvanceDependencies, advanceRollout } from './advance-rollout.ts';
import { listActiveRollouts, ROLLOUT_CHANNEL } from './rollouts.repository.ts';

const POLL_MS = 5000;
/** Waits for further notifications: a run sends one for each batch of results. */
const GATHER_MS = 200;

/** The engine also polls every `pollMs`: a notification can be lost, and the end of a soak time causes none. */
export type RolloutTiming = { pollMs?: number; gatherMs?: number };

/**
 * Advances all active rollouts after changes of runs and rollouts, and regularly. Several processes may do so at the
 * same time. Returns a function that stops the engine.
 */
export async function startRolloutEngine(
  deps: AdvanceDependencies & { channels: Channels },
  { pollMs = POLL_MS, gatherMs = GATHER_MS }: RolloutTiming = {},
): Promise<() => Promise<void>> {
  const { db, log, channels } = deps;
  const stopping = new AbortController();
  let change = Promise.withResolvers<void>();
  const listeners: (() => void)[] = [];
  for (const name of [RUN_CHANNEL, ROLLOUT_CHANNEL]) {
    listeners.push((await channels.listen(name)).on(() => change.resolve()));
  }

  async function advanceAll(): Promise<void> {
    for (const id of await listActiveRollouts(db)) {
      if (stopping.signal.aborted) return;
      await advanceRollout(id, deps).catch((err) =>
        log.error({ err, rollout: id }, 'Could not advance a rollout; retrying.'),
      );
    }
  }

  async function run(): Promise<void> {
    const options = { signal: stopping.signal, ref: false };
    while (!stopping.signal.aborted) {
      // Before the pass, so that a change during this pass causes another pass.
      change = Promise.withResolvers<void>();
      await advanceAll().catch((error) =>
        log.warn({ reason: String(error) }, 'Could not read the rollouts; retrying.'),
      );
      const poll = sleep(pollMs, undefined, options).catch(() => {});
      await Promise.race([change.promise, poll]);
      await sleep(gatherMs, undefined, options).catch(() => {});
    }
  }

  const running = run();
  return async () => {
    stopping.abort();
    for (const stopListening of listeners) stopListening();
    await running;
  };
}
