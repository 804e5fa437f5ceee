import type { Logger } from '../../platform/logger.ts';
import type { SealedHead } from './audit-head-file.ts';

/** Sends the sealed head to another server, which an attacker on the panel's machine does not control. */
export type HeadWebhook = {
  /** Sends the head only if it has changed. Logs a failure; the next call retries. */
  send(signal?: AbortSignal): Promise<void>;
};

type Options = {
  url: string;
  /** Address of the panel. It identifies the panel to a server that receives heads of several panels. */
  panel: string;
  getSealedHead(): SealedHead | null;
  log: Logger;
};

const TIMEOUT_MS = 10_000;

export function createHeadWebhook({ url, panel, getSealedHead, log }: Options): HeadWebhook {
  let sentHash: string | null = null;
  return {
    async send(signal) {
      const head = getSealedHead();
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
        // Log only the host: the path or the query may contain a token.
        const host = new URL(url).host;
        log.warn(
          { host, reason },
          'Could not send the audit head to AUDIT_HEAD_WEBHOOK; retrying.',
        );
      }
    },
  };
}
