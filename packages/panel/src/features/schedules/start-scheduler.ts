import type { PgBoss } from 'pg-boss';
import { type StartDependencies, startDueSchedules } from './start-due-schedules.ts';

const QUEUE_NAME = 'schedules';
const HEARTBEAT_SECONDS = 30;
const EVERY_MINUTE = '* * * * *';

/** Starts due schedules every minute, in one process at a time. */
export async function startScheduler(deps: StartDependencies & { boss: PgBoss }): Promise<void> {
  const { boss } = deps;
  // `stately`: at most one pass at a time. A failed pass is not retried, because the next one follows.
  await boss.createQueue(QUEUE_NAME, {
    policy: 'stately',
    retryLimit: 0,
    // Without it, the pass of a killed process would block the next pass for 15 minutes.
    heartbeatSeconds: HEARTBEAT_SECONDS,
    deleteAfterSeconds: 60,
  });
  await boss.schedule(QUEUE_NAME, EVERY_MINUTE);
  await boss.work(QUEUE_NAME, { pollingIntervalSeconds: 10 }, () => startDueSchedules(deps));
}
