import { setTimeout as sleep } from 'node:timers/promises';
import { type JudgeDependencies, judgeDueWatches } from './judge-watches.ts';

const POLL_SECONDS = 1;

export type WatchTiming = { pollSeconds?: number };

/** Judges due watches until `stop`. */
export function startWatchJudge(
  deps: JudgeDependencies,
  { pollSeconds = POLL_SECONDS }: WatchTiming = {},
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function run(): Promise<void> {
    while (!signal.aborted) {
      await judgeDueWatches(deps).catch((error: Error) =>
        deps.log.warn({ reason: error.message }, 'Could not read the watches; retrying.'),
      );
      await sleep(pollSeconds * 1000, undefined, { signal, ref: false }).catch(() => {});
    }
  }
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
