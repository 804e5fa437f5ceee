import type { Logger } from '../../platform/logger.ts';
import type { AuditChain } from './audit-chain.service.ts';

const SEAL_EVERY_MS = 1000;

/** Seals what has been recorded, by this process or another, for as long as the panel runs. */
export function startAuditSealer(chain: AuditChain, log: Logger): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let underWay = Promise.resolve();
  let lastComplaint = '';

  function sealLater(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      underWay = seal().then(sealLater);
    }, SEAL_EVERY_MS).unref();
  }

  async function seal(): Promise<void> {
    try {
      const { refused } = await chain.seal();
      complainOnce(refused.join(','), () =>
        log.error(
          { first_record_id: refused[0], count: refused.length },
          'No panel wrote these records of the audit log as they are. They stay unsealed.',
        ),
      );
    } catch (error) {
      const reason = (error as Error).message;
      complainOnce(reason, () =>
        log.warn({ reason }, 'The audit log could not be sealed; trying again.'),
      );
    }
  }

  /** Not every second the same. */
  function complainOnce(complaint: string, write: () => void): void {
    if (complaint !== '' && complaint !== lastComplaint) write();
    lastComplaint = complaint;
  }

  sealLater();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
