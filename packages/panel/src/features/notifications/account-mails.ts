import type { Trx } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Deliverer, ResetLink } from './deliverer.ts';

/** Strangers request these e-mails. Above this number, further ones are dropped. */
const PENDING_MAX = 50;

/** Sends e-mails about an account after the response, in this process. The delivery log has the result. */
export function createAccountMails({ deliverer, log }: { deliverer: Deliverer; log: Logger }) {
  const pending = new Set<Promise<void>>();

  function inBackground(work: () => Promise<void>): void {
    if (pending.size >= PENDING_MAX) {
      log.warn({ pending: pending.size }, 'Too many e-mails about accounts wait. One was dropped.');
      return;
    }
    // Starts after the response: the work differs between known and unknown addresses.
    const task = new Promise((resolve) => setImmediate(resolve))
      .then(work)
      .catch((err) => log.error({ err }, 'An e-mail about an account was not sent.'))
      .finally(() => pending.delete(task));
    pending.add(task);
  }

  return {
    isAvailable: deliverer.isSmtpConfigured,
    inBackground,
    sendResetLink: (userId: number, issue: (trx: Trx) => Promise<ResetLink | null>) =>
      deliverer.sendResetLink(userId, issue),
    sendPasswordChanged(userId: number): void {
      if (deliverer.isSmtpConfigured) inBackground(() => deliverer.sendPasswordChanged(userId));
    },
    /** Waits for the e-mails in progress. */
    async close(): Promise<void> {
      await Promise.all(pending);
    },
  };
}
