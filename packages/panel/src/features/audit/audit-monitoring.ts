import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';
import type { AuditMonitor } from './audit-monitor.service.ts';
import type { HeadWebhook } from './head-webhook.ts';

type Options = {
  watch: AuditMonitor;
  webhook: HeadWebhook | null;
  log: Logger;
  /** Whether this process also verifies the whole log. Processes that serve the screens do. */
  walks: boolean;
  everyMs?: { check: number; walk: number };
};

const EVERY_MS = { check: 60_000, walk: 60 * 60_000 };

/** Checks the audit log while the panel runs. */
export function startAuditMonitoring({ watch, webhook, log, walks, everyMs = EVERY_MS }: Options) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loops = [
    repeat(everyMs.check, async () => {
      await watch.check();
      await webhook?.send(signal);
    }),
    ...(walks ? [repeat(everyMs.walk, () => watch.walk(signal))] : []),
  ];

  /** Runs immediately, then again after each pause. */
  async function repeat(pauseMs: number, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await work().catch((error: Error) => {
        if (!signal.aborted) log.warn({ reason: error.message }, 'Audit log check failed.');
      });
      // Stopping the panel rejects the pause.
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
