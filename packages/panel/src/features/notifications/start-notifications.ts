import { fromKysely, type JobWithMetadata, type PgBoss } from 'pg-boss';
import { DAY_SECONDS } from '../../platform/boss.ts';
import type { Channels } from '../../platform/channels.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import { createDeliverer, type DelivererConfig } from './deliverer.ts';
import { NOTIFICATION_QUEUE } from './deliveries.repository.ts';
import { deleteOld, failAbandoned } from './fan-out.repository.ts';
import { createFanOut } from './fan-out.ts';
import { EVENT_CHANNEL } from './outbox.ts';

type Dependencies = Parameters<typeof createDeliverer>[0] & {
  db: Database;
  boss: PgBoss;
  channels: Channels;
  clock: Clock;
  log: Logger;
  /** Announces licenses that expire soon. Called every hour. */
  announceLicenses(): Promise<void>;
};

export type NotificationTiming = {
  pollMs?: number;
  /** How often an idle worker polls for planned attempts. The queue announces all other jobs. */
  queuePollSeconds?: number;
  /** The first delay of the exponential backoff. */
  retryDelaySeconds?: number;
};

/**
 * Ten attempts within 17 to 34 hours: the first pause takes 2 to 4 minutes, each further one twice as long, the last
 * one 8 to 17 hours.
 */
const RETRY_LIMIT = 9;
const RETRY_DELAY_SECONDS = 120;
/** PostgreSQL announces new events. Polling finds events whose announcement was lost, and due digests. */
const POLL_MS = 15_000;
const QUEUE_POLL_SECONDS = 10;
const HOUR_MS = 60 * 60_000;
const CONCURRENCY = 6;
/** A receiver that hangs must not block the others. */
const CONCURRENCY_PER_RECIPIENT = 2;
const DAY_MS = DAY_SECONDS * 1000;
const KEPT_MS = 90 * DAY_MS;
/** Longer than all attempts together. */
const ABANDONED_AFTER_MS = 2 * DAY_MS;

type JobData = { deliveryId: number };

/** Creates the deliveries of new events and sends them, until `stop`. */
export async function startNotifications(
  deps: Dependencies,
  config: DelivererConfig & Pick<Config, 'leaseSeconds'>,
  timing: NotificationTiming = {},
): Promise<{ stop(): Promise<void> }> {
  const { db, boss, channels, clock, log } = deps;
  const { pollMs = POLL_MS, queuePollSeconds = QUEUE_POLL_SECONDS } = timing;
  const { retryDelaySeconds = RETRY_DELAY_SECONDS } = timing;
  const deliverer = createDeliverer(deps, config);

  await boss.createQueue(NOTIFICATION_QUEUE, {
    policy: 'standard',
    notify: true,
    expireInSeconds: 10 * 60,
    retentionSeconds: 3 * DAY_SECONDS,
    deleteAfterSeconds: 60,
    heartbeatSeconds: config.leaseSeconds,
  });

  const fanOut = createFanOut({
    db,
    clock,
    queueDeliveries: async (trx, deliveries) => {
      if (deliveries.length === 0) return;
      const jobs = deliveries.map(({ id, message_id, channel_id, kind }) => ({
        // pg-boss ignores a second job with the same id.
        id: message_id,
        data: { deliveryId: id },
        // All e-mails go to one server.
        group: { id: channel_id === null ? kind : `channel ${channel_id}` },
        retryLimit: RETRY_LIMIT,
        retryDelay: retryDelaySeconds,
        retryBackoff: true,
      }));
      await boss.insert(NOTIFICATION_QUEUE, jobs, { db: fromKysely(trx) });
    },
  });

  async function createAll(): Promise<void> {
    while (!isStopped && (await fanOut.createDeliveries()));
    await fanOut.createDigests();
  }

  async function runHourlyWork(): Promise<void> {
    await deps.announceLicenses();
    await cleanUpNotifications(db, clock.now());
  }

  let isStopped = false;
  const creating = createCoalescedTask(createAll, 'Could not create notifications; retrying.', log);
  const hourly = createCoalescedTask(runHourlyWork, 'Hourly work of notifications failed.', log);
  const events = await channels.listen(EVENT_CHANNEL);
  const stopListening = events.on(() => creating.run());
  const timers = [
    setInterval(creating.run, pollMs).unref(),
    setInterval(hourly.run, HOUR_MS).unref(),
  ];

  const polling = {
    pollingIntervalSeconds: queuePollSeconds,
    notifyPollingIntervalSeconds: queuePollSeconds,
  };
  await boss.work<JobData>(
    NOTIFICATION_QUEUE,
    {
      ...polling,
      burstWhenReadyExceeds: 1,
      includeMetadata: true,
      localConcurrency: CONCURRENCY,
      groupConcurrency: CONCURRENCY_PER_RECIPIENT,
    },
    async ([fetched]) => {
      const job = fetched as JobWithMetadata<JobData>;
      const isLastAttempt = job.retryCount >= job.retryLimit;
      const { deliveryId } = job.data;
      const outcome = await deliverer.attempt(deliveryId, { isLastAttempt }).catch((err) => {
        // pg-boss stores the error with the job, where no operator sees it.
        log.error({ err, delivery: deliveryId }, 'Unexpected error in a delivery.');
        return 'retry' as const;
      });
      // pg-boss stores this message with the job and plans the next attempt.
      if (outcome === 'retry') throw new Error('Not delivered; see the delivery log.');
    },
  );
  creating.run();
  hourly.run();

  return {
    async stop() {
      isStopped = true;
      stopListening();
      for (const timer of timers) clearInterval(timer);
      deliverer.stop();
      await Promise.all([creating.end(), hourly.end()]);
      await boss.offWork(NOTIFICATION_QUEUE, { wait: true });
    },
  };
}

/** Ends abandoned deliveries, and deletes deliveries and events after 90 days. */
export async function cleanUpNotifications(db: Database, now: Date): Promise<void> {
  await failAbandoned(db, new Date(now.getTime() - ABANDONED_AFTER_MS));
  await deleteOld(db, new Date(now.getTime() - KEPT_MS));
}

/** Runs the work once at a time. Requests during a run cause one more run. */
function createCoalescedTask(work: () => Promise<void>, failure: string, log: Logger) {
  let current: Promise<void> | null = null;
  let isRequested = false;
  let isEnded = false;
  async function repeat(): Promise<void> {
    while (isRequested && !isEnded) {
      isRequested = false;
      await work().catch((error: Error) => log.warn({ reason: error.message }, failure));
    }
    current = null;
  }
  return {
    run() {
      isRequested = true;
      current ??= repeat();
    },
    async end() {
      isEnded = true;
      await current;
    },
  };
}
