import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';
import type { AuditWatch } from './audit-watch.service.ts';
import type { HeadWebhook } from './head-webhook.ts';

type Options = {
  watch: AuditWatch;
  webhook: HeadWebhook | null;
  log: Logger;
  /** Whether this process proves the whole log, too: one that shows its finding to users does. */
  walks: boolean;
  everyMs?: { check: number; walk: number };
};

const EVERY_MS = { check: 60_000, walk: 60 * 60_000 };

/** Checks the audit log for as long as the panel runs. */
export function startAuditWatcher({ watch, webhook, log, walks, everyMs = EVERY_MS }: Options) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loops = [
    repeat(everyMs.check, async () => {
      await watch.check();
      await webhook?.send(signal);
    }),
    ...(walks ? [repeat(everyMs.walk, () => watch.walk(signal))] : []),
  ];

  /** At once, and then so long after each end. */
  async function repeat(pauseMs: number, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await work().catch((error: Error) => {
        if (!signal.aborted) log.warn({ reason: error.message }, 'The audit log was not checked.');
      });
      // Rejects at once when the panel stops, or has stopped.
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
