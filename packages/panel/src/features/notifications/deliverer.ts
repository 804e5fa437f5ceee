import {
  ACCOUNT_MAIL_TYPES,
  type AccountMailType,
  type DeliveryStatus,
  type DeliveryType,
} from '@steward/contract';
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
import {
  composeAccountMail,
  composeMessage,
  composeResetMail,
  type Message,
} from './compose-message.ts';
import {
  claimDelivery,
  type DeliveryRow,
  type EmailType,
  type EventRow,
  endAttempt,
  findDelivery,
  findEvents,
  findVisibleEvents,
  insertDeliveries,
  lockAndListEmails,
  type NewDelivery,
  releaseClaim,
} from './deliveries.repository.ts';
import {
  type EmailLimit,
  longestWindowMs,
  RESET_EMAIL_LIMITS,
  secondsUntilEmail,
  TEST_EMAIL_LIMITS,
} from './email-limits.ts';
import { findEmailUser } from './email-settings.repository.ts';
import { createMailer } from './send-email.ts';
import type { SendResult } from './send-result.ts';
import { sendWebhook } from './send-webhook.ts';

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

/** A link that works once. Only its hash is stored, so the e-mail cannot be sent again. */
export type ResetLink = { url: string; expiresAt: Date };

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

    /** `issue` creates the link in the transaction that counts it. */
    async sendResetLink(
      userId: number,
      issue: (trx: Trx) => Promise<ResetLink | null>,
    ): Promise<void> {
      const planned = await db.transaction().execute(async (trx) => {
        if ((await lockAndFindWait(trx, userId, 'password_reset', RESET_EMAIL_LIMITS)) > 0) return;
        const link = await issue(trx);
        return link && { link, id: await insertAccountMail(trx, userId, 'password_reset') };
      });
      if (planned) await attemptOnce(planned.id, composeResetMail(planned.link, clock.now()));
    },

    async sendPasswordChanged(userId: number): Promise<void> {
      const id = await db
        .transaction()
        .execute((trx) => insertAccountMail(trx, userId, 'password_changed'));
      await attemptOnce(id);
    },

    /** Aborts calls in flight. */
    stop: () => stopping.abort(),
  };

  /** Returns the seconds until the user may get another e-mail of the type. Other transactions wait until the commit. */
  async function lockAndFindWait(
    trx: Trx,
    userId: number,
    type: EmailType,
    limits: EmailLimit[],
  ): Promise<number> {
    const now = clock.now();
    const since = new Date(now.getTime() - longestWindowMs(limits));
    return secondsUntilEmail(await lockAndListEmails(trx, userId, type, since), now, limits);
  }

  async function assertMayTestEmail(trx: Trx, userId: number): Promise<void> {
    const seconds = await lockAndFindWait(trx, userId, 'test', TEST_EMAIL_LIMITS);
    if (seconds === 0) return;
    throw new AppError('rate_limited', {
      message:
        'You can send 5 test e-mails in 10 minutes. Wait for the time in the Retry-After header, then try again.',
      retryAfterSeconds: seconds,
    });
  }

  /** Undefined: the user is disabled. */
  async function insertAccountMail(
    trx: Trx,
    userId: number,
    type: AccountMailType,
  ): Promise<number | undefined> {
    const user = await findEmailUser(trx, userId);
    if (!user) return undefined;
    const mail = { type, event_ids: [], kind: 'email' as const, channel_id: null };
    const delivery = { ...mail, user_id: user.id, recipient: user.email };
    return (await insertDeliveries(trx, [delivery], clock.now()))[0]?.id;
  }

  async function attemptOnce(id: number | undefined, message?: Message): Promise<void> {
    const claimed = id !== undefined && (await claimDelivery(db, id, ['waiting'], clock.now()));
    if (claimed) await send(claimed, 'failed', message);
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

  /**
   * `statusIfFailed`: for a failure that a retry could solve. Other failures end as `failed`. `message`: contains a secret, so
   * the delivery log cannot compose it.
   */
  async function send(
    delivery: DeliveryRow,
    statusIfFailed: DeliveryStatus,
    message?: Message,
  ): Promise<'done' | 'retry'> {
    const result = await sendToRecipient(delivery, message);
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

  async function sendToRecipient(
    delivery: DeliveryRow,
    message?: Message,
  ): Promise<SendResult | Cancelled> {
    if (delivery.kind !== 'email') return sendToChannel(delivery);
    return isAccountMail(delivery.type)
      ? sendAccountMail(delivery, delivery.type, message)
      : sendToUser(delivery);
  }

  /** To the address that the account had when the e-mail was planned: it may have changed since. */
  async function sendAccountMail(
    { user_id, recipient, message_id }: DeliveryRow,
    type: AccountMailType,
    message?: Message,
  ): Promise<SendResult | Cancelled> {
    const user = user_id === null ? undefined : await findEmailUser(db, user_id);
    if (!user) return DISABLED;
    const mail = type === 'password_reset' ? message : composeAccountMail(clock.now(), panelUrl());
    if (!mail) return LINK_NOT_STORED;
    return mailer.send(recipient, mail, { messageId: message_id, signal: stopping.signal });
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
    if (!user) return DISABLED;
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

const isAccountMail = (type: DeliveryType): type is AccountMailType =>
  ACCOUNT_MAIL_TYPES.some((each) => each === type);

const DISABLED = { kind: 'cancelled' as const, reason: 'The user is disabled or deleted.' };
const LINK_NOT_STORED = {
  kind: 'cancelled' as const,
  reason: 'Steward does not store the link. The user requests a new one on the sign-in page.',
};
const NO_EVENTS = {
  kind: 'cancelled' as const,
  reason: 'The recipient has no access to the events, or they were deleted.',
};
