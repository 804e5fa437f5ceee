import type { DeliveryStatus } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { getMeter } from '../../platform/telemetry/meter.ts';
import { createWebhookClient } from '../../site-client/index.ts';
import type { AuditService } from '../audit/index.ts';
import { findChannel, lockChannel, updateChannel } from './channels.repository.ts';
import { composeMessage } from './compose-message.ts';
import {
  claimDelivery,
  type DeliveryRow,
  type EventRow,
  endAttempt,
  findDelivery,
  findEvents,
  findVisibleEvents,
  insertDeliveries,
  lockAndListTestEmails,
  type NewDelivery,
  releaseClaim,
} from './deliveries.repository.ts';
import { findEmailUser } from './email-settings.repository.ts';
import { createMailer } from './send-email.ts';
import type { SendResult } from './send-result.ts';
import { sendWebhook } from './send-webhook.ts';
import { secondsUntilTestEmail, TEST_EMAILS } from './test-email-limit.ts';

type Dependencies = {
  db: Database;
  secrets: Secrets;
  clock: Clock;
  audit: AuditService;
  log: Logger;
  settings: { getAddress(): { url: string } };
};

export type DelivererConfig = Pick<
  Config,
  'smtp' | 'allowPrivateSites' | 'siteAddresses' | 'siteTimeouts'
>;

export type Deliverer = ReturnType<typeof createDeliverer>;

const WORKER: AuditOrigin = { actor: 'system', via: 'worker' };

/** Sends messages and records the result of each attempt. */
export function createDeliverer(deps: Dependencies, config: DelivererConfig) {
  const { db, secrets, clock, audit, log, settings } = deps;
  const panelUrl = () => settings.getAddress().url;
  const post = createWebhookClient(config);
  const mailer = createMailer({ smtp: config.smtp, panelUrl });
  const stopping = new AbortController();

  return {
    isSmtpConfigured: config.smtp !== null,

    /**
     * Makes one attempt for the worker. Returns `retry` if the message did not arrive and another attempt may follow.
     * `isLastAttempt`: a failure is final.
     */
    async attempt(id: number, { isLastAttempt }: { isLastAttempt: boolean }) {
      const claimed = await claimDelivery(db, id, ['waiting'], clock.now());
      if (claimed) return send(claimed, isLastAttempt ? 'failed' : 'waiting');
      // Another process is sending it, or it is finished.
      return (await findDelivery(db, id))?.status === 'waiting' ? 'retry' : 'done';
    },

    /** Makes an attempt for a user. After a failure that a retry could solve, planned attempts of the worker continue. */
    async retryNow(id: number): Promise<void> {
      const before = await findDelivery(db, id);
      if (!before) throw new AppError('delivery_not_found');
      const claimed = await claimDelivery(db, id, ['waiting', 'failed'], clock.now());
      if (claimed) return void (await send(claimed, claimed.status));
      const isFinished = before.status === 'delivered' || before.status === 'cancelled';
      throw new AppError(isFinished ? 'delivery_finished' : 'delivery_in_progress');
    },

    /** Sends a test message, without retries. Returns the id of its delivery. Limits those to a user. */
    async sendTest(target: { channelId: number } | { userId: number }): Promise<number> {
      const test = await createTest(target);
      const [delivery] = await db.transaction().execute(async (trx) => {
        if (test.user_id) await assertMayTestEmail(trx, test.user_id);
        return insertDeliveries(trx, [test], clock.now());
      });
      const claimed = delivery && (await claimDelivery(db, delivery.id, ['waiting'], clock.now()));
      if (!claimed) throw new Error('The test message could not be claimed.');
      await send(claimed, 'failed');
      return claimed.id;
    },

    /** Aborts calls in flight. */
    stop: () => stopping.abort(),
  };

  async function assertMayTestEmail(trx: Trx, userId: number): Promise<void> {
    const now = clock.now();
    const since = new Date(now.getTime() - TEST_EMAILS.windowMs);
    const seconds = secondsUntilTestEmail(await lockAndListTestEmails(trx, userId, since), now);
    if (seconds === 0) return;
    throw new AppError('rate_limited', {
      message: `You can send ${TEST_EMAILS.limit} test e-mails in 10 minutes. Wait for the time in the Retry-After header, then try again.`,
      retryAfterSeconds: seconds,
    });
  }

  async function createTest(
    target: { channelId: number } | { userId: number },
  ): Promise<NewDelivery> {
    const test = { type: 'test' as const, event_ids: [], channel_id: null, user_id: null };
    if ('channelId' in target) {
      const channel = await findChannel(db, target.channelId);
      if (!channel) throw new AppError('channel_not_found');
      return { ...test, kind: channel.kind, channel_id: channel.id, recipient: channel.name };
    }
    const user = await findEmailUser(db, target.userId);
    if (!user) throw new AppError('forbidden');
    return { ...test, kind: 'email', user_id: user.id, recipient: user.email };
  }

  /** `statusIfFailed`: for a failure that a retry could solve. Other failures end as `failed`. */
  async function send(
    delivery: DeliveryRow,
    statusIfFailed: DeliveryStatus,
  ): Promise<'done' | 'retry'> {
    const result = await sendToRecipient(delivery);
    const now = clock.now();
    if (result.kind !== 'failed') getMeter()?.countDelivery(delivery.kind, result.kind);
    if (result.kind === 'cancelled') {
      const cancelled = { status: 'cancelled' as const, httpStatus: null, error: result.reason };
      await endAttempt(db, delivery, { ...cancelled, now });
      return 'done';
    }
    if (result.kind === 'stopped') {
      await releaseClaim(db, delivery);
      return 'retry';
    }
    if (result.kind === 'delivered') {
      const delivered = { status: 'delivered' as const, error: null };
      await endAttempt(db, delivery, { ...delivered, httpStatus: result.httpStatus, now });
      return 'done';
    }
    const { error, httpStatus, isFinal } = result;
    const status = isFinal ? 'failed' : statusIfFailed;
    getMeter()?.countDelivery(delivery.kind, status === 'waiting' ? 'retry' : 'failed');
    await endAttempt(db, delivery, { status, error, httpStatus, now });
    log.warn({ delivery: delivery.id, reason: error, status }, 'A notification was not delivered.');
    if (result.isGone && delivery.channel_id !== null) await disableChannel(delivery.channel_id);
    return status === 'waiting' ? 'retry' : 'done';
  }

  type Cancelled = { kind: 'cancelled'; reason: string };

  async function sendToRecipient(delivery: DeliveryRow): Promise<SendResult | Cancelled> {
    return delivery.kind === 'email' ? sendToUser(delivery) : sendToChannel(delivery);
  }

  async function sendToChannel(delivery: DeliveryRow): Promise<SendResult | Cancelled> {
    const { type, channel_id, message_id } = delivery;
    const channel = channel_id === null ? undefined : await findChannel(db, channel_id);
    if (!channel) return { kind: 'cancelled', reason: 'The channel was deleted.' };
    const isTest = type === 'test';
    if (!isTest && !channel.enabled) {
      return { kind: 'cancelled', reason: 'The channel is turned off.' };
    }
    const events = await findEvents(db, delivery.event_ids);
    if (!isTest && events.length === 0) return NO_EVENTS;
    const { secret_encrypted: secret } = channel;
    const target = {
      kind: channel.kind,
      url: secrets.decrypt(channel.url_encrypted, 'notification_url'),
      secret: secret && secrets.decrypt(secret, 'notification_secret'),
    };
    const now = clock.now();
    const options = { messageId: message_id, now, signal: stopping.signal };
    return sendWebhook(post, target, compose(delivery, events), options);
  }

  async function sendToUser(delivery: DeliveryRow): Promise<SendResult | Cancelled> {
    const { type, user_id, message_id } = delivery;
    const user = user_id === null ? undefined : await findEmailUser(db, user_id);
    if (!user) return { kind: 'cancelled', reason: 'The user is disabled or deleted.' };
    const isTest = type === 'test';
    if (!isTest && (user.mode ?? 'off') === 'off') {
      return { kind: 'cancelled', reason: 'The user turned off e-mail.' };
    }
    // The user may have lost access since the event.
    const events = await findVisibleEvents(db, user, delivery.event_ids);
    if (!isTest && events.length === 0) return NO_EVENTS;
    const options = { messageId: message_id, signal: stopping.signal };
    return mailer.send(user.email, compose(delivery, events), options);
  }

  function compose({ type }: DeliveryRow, events: EventRow[]) {
    return composeMessage(type, events, { now: clock.now(), panelUrl: panelUrl() });
  }

  async function disableChannel(id: number): Promise<void> {
    await db.transaction().execute(async (trx) => {
      const channel = await lockChannel(trx, id);
      if (!channel?.enabled) return;
      const disabled_at = clock.now();
      await updateChannel(trx, id, { enabled: false, disabled_at, disabled_reason: 'gone' });
      await audit.record(trx, WORKER, {
        action: 'disable',
        entityType: 'notification_channel',
        entityId: id,
        context: { name: channel.name, kind: channel.kind, host: channel.host, reason: 'gone' },
      });
    });
  }
}

const NO_EVENTS = {
  kind: 'cancelled' as const,
  reason: 'The recipient has no access to the events, or they were deleted.',
};
