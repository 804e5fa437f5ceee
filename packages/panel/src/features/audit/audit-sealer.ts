import type { Logger } from '../../platform/logger.ts';
import type { AuditChain } from './audit-chain.service.ts';

const SEAL_INTERVAL_MS = 1000;

/** Seals new audit records every second, including those of other processes. */
export function startAuditSealer(chain: AuditChain, log: Logger): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let inFlight = Promise.resolve();
  let lastLogged = '';

  function scheduleSeal(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      inFlight = seal().then(scheduleSeal);
    }, SEAL_INTERVAL_MS).unref();
  }

  async function seal(): Promise<void> {
    try {
      const { refused } = await chain.seal();
      logOnce(refused.join(','), () =>
        log.error(
          { first_record_id: refused[0], count: refused.length },
          'Audit verification failed: records were changed, removed or inserted outside Steward. They stay unsealed.',
        ),
      );
    } catch (error) {
      const reason = (error as Error).message;
      logOnce(reason, () => log.warn({ reason }, 'Could not seal the audit log; retrying.'));
    }
  }

  /** Logs a problem once instead of every second. */
  function logOnce(text: string, write: () => void): void {
    if (text !== '' && text !== lastLogged) write();
    lastLogged = text;
  }

  scheduleSeal();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await inFlight;
    },
  };
}
