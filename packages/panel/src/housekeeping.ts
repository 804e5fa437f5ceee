import type { PgBoss } from 'pg-boss';
import type { Logger } from './platform/logger.ts';

/** Each feature deletes what is too old. A part must be able to run in several processes at the same time. */
export type Housekeeping = { run(): Promise<void> };

const QUEUE_NAME = 'housekeeping';
const EVERY_HOUR = '5 * * * *';
const HEARTBEAT_SECONDS = 60;

/** A part that fails does not stop the others. */
export function createHousekeeping(
  parts: Record<string, () => Promise<void>>,
  log: Pick<Logger, 'warn'>,
): Housekeeping {
  return {
    async run() {
      const errors: unknown[] = [];
      for (const [part, work] of Object.entries(parts)) {
        await work().catch((error: Error) => {
          log.warn(
            { part, reason: error.message },
            'Housekeeping failed; the next run tries again.',
          );
          errors.push(error);
        });
      }
      if (errors.length > 0) throw new AggregateError(errors, 'Housekeeping failed.');
    },
  };
}

/** Runs the housekeeping now and every hour, in one process at a time. */
export async function startHousekeeping({
  boss,
  housekeeping,
}: {
  boss: PgBoss;
  housekeeping: Housekeeping;
}): Promise<void> {
  await boss.createQueue(QUEUE_NAME, {
    policy: 'stately',
    retryLimit: 0,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    deleteAfterSeconds: 60,
  });
  await boss.schedule(QUEUE_NAME, EVERY_HOUR);
  await boss.send(QUEUE_NAME);
  await boss.work(QUEUE_NAME, { pollingIntervalSeconds: 10 }, () => housekeeping.run());
}
