import type { Logger } from '../../platform/logger.ts';
import type { SealedHead } from './audit-head-file.ts';

/** Sends the sealed head to a server outside the control of the panel's machine. */
export type HeadWebhook = {
  /** Sends only a changed head. Logs a failure and retries at the next call. */
  send(signal?: AbortSignal): Promise<void>;
};

type Options = {
  url: string;
  /** The address of the panel, for receivers with several panels. */
  panel: string;
  sealed(): SealedHead | null;
  log: Logger;
};

const TIMEOUT_MS = 10_000;

export function createHeadWebhook({ url, panel, sealed, log }: Options): HeadWebhook {
  let sentHash: string | null = null;
  return {
    async send(signal) {
      const head = sealed();
      if (head === null || head.records === 0 || head.hash === sentHash) return;
      const { records, record_id, hash, sealed_at, epoch } = head;
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ panel, records, record_id, hash, sealed_at, epoch }),
          redirect: 'error',
          signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]),
        });
        await response.body?.cancel();
        if (!response.ok) throw new Error(`HTTP status ${response.status}`);
        sentHash = hash;
      } catch (error) {
        if (signal?.aborted) return;
        const { message, cause } = error as Error;
        const reason = cause instanceof Error ? cause.message : message;
        // The path or the query may hold a token.
        const host = new URL(url).host;
        log.warn(
          { host, reason },
          'Could not send the audit head to AUDIT_HEAD_WEBHOOK; retrying.',
        );
      }
    },
  };
}
