import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';
import type { AuditMonitor } from './audit-monitor.service.ts';
import type { HeadWebhook } from './head-webhook.ts';

type Options = {
  monitor: AuditMonitor;
  webhook: HeadWebhook | null;
  /** Creates the partitions of the next months. Does nothing if there are enough. */
  addPartitions(): Promise<unknown>;
  log: Logger;
  /** Also verify the whole log. Only processes that serve requests do this. */
  verifiesWholeLog: boolean;
  intervalsMs?: { check: number; walk: number };
};

const INTERVALS_MS = { check: 60_000, walk: 60 * 60_000 };

/** Verifies the audit log, sends its head and adds partitions at regular intervals, until `stop`. */
export function startAuditMonitoring(options: Options) {
  const { monitor, webhook, addPartitions, log, verifiesWholeLog } = options;
  const { intervalsMs = INTERVALS_MS } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const loops = [
    repeat(intervalsMs.check, 'Could not check the audit log or send its head.', async () => {
      await monitor.check();
      await webhook?.send(signal);
    }),
    // For processes that run for months without a restart.
    repeat(intervalsMs.walk, 'Could not add partitions to the audit log.', addPartitions),
    ...(verifiesWholeLog
      ? [repeat(intervalsMs.walk, 'Could not verify the audit log.', () => monitor.walk(signal))]
      : []),
  ];

  /** Runs immediately, then again after each pause. `failure`: the log message after an error. */
  async function repeat(
    pauseMs: number,
    failure: string,
    work: () => Promise<unknown>,
  ): Promise<void> {
    while (!signal.aborted) {
      await work().catch((error: Error) => {
        if (!signal.aborted) log.warn({ reason: error.message }, failure);
      });
      // The signal rejects the pause when the panel stops.
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}
