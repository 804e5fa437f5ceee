import type { Channels } from '../../platform/channels.ts';
import { RUN_CHANNEL } from '../runs/index.ts';
import { type AdvanceDependencies, advanceRollout } from './advance-rollout.ts';
import { listActiveRollouts } from './rollouts.repository.ts';

/** Notifications can be lost, and soak times end without one. */
const POLL_MS = 5000;
/** A run notifies for each batch of results. */
const GATHER_MS = 200;

/** Advances all active rollouts after changes of runs, and regularly. Several processes may do so at the same time. */
export async function startRolloutEngine(
  deps: AdvanceDependencies & { channels: Channels },
  { pollMs = POLL_MS }: { pollMs?: number } = {},
): Promise<() => Promise<void>> {
  const { db, log, channels } = deps;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pass = Promise.resolve();

  async function advanceAll(): Promise<void> {
    for (const id of await listActiveRollouts(db)) {
      if (isStopped) return;
      await advanceRollout(id, deps).catch((err) =>
        log.error({ err, rollout: id }, 'Could not advance a rollout; retrying.'),
      );
    }
  }

  function schedule(milliseconds: number): void {
    clearTimeout(timer);
    if (isStopped) return;
    timer = setTimeout(() => {
      pass = advanceAll()
        .catch((error) => log.warn({ reason: String(error) }, 'Could not read rollouts; retrying.'))
        .finally(() => schedule(pollMs));
    }, milliseconds).unref();
  }

  const changes = await channels.listen(RUN_CHANNEL);
  const stopListening = changes.on(() => schedule(GATHER_MS));
  schedule(GATHER_MS);
  return async () => {
    isStopped = true;
    stopListening();
    clearTimeout(timer);
    await pass;
  };
}
