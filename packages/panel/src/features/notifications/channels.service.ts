import { randomBytes } from 'node:crypto';
import {
  type AuditAction,
  type CreateChannelRequest,
  NOTIFICATION_CHANNELS_MAX,
  NOTIFICATION_EVENT_TYPES,
  type NotificationChannel,
  type UpdateChannelRequest,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditService } from '../audit/index.ts';
import {
  type ChannelRow,
  deleteChannel,
  findChannel,
  insertChannel,
  listChannels,
  listLastDeliveries,
  lockAndCountChannels,
  lockChannel,
  updateChannel,
} from './channels.repository.ts';
import { cancelDeliveriesOf } from './deliveries.repository.ts';

export type ChannelService = ReturnType<typeof createChannelService>;

type Dependencies = { db: Database; secrets: Secrets; clock: Clock; audit: AuditService };

const SECRET_BYTES = 32;

/** Manages the channels to which Steward sends notifications. Only owners change them. */
export function createChannelService({ db, secrets, clock, audit }: Dependencies) {
  return {
    async list(): Promise<NotificationChannel[]> {
      const [channels, last] = [await listChannels(db), await listLastDeliveries(db)];
      return channels.map((channel) => toChannel(channel, last.get(channel.id)));
    },

    async find(id: number): Promise<NotificationChannel> {
      return toChannel(assertFound(await findChannel(db, id)));
    },

    /** Returns the signing secret of a webhook in clear text. */
    create: (request: CreateChannelRequest, origin: AuditOrigin) =>
      db.transaction().execute(async (trx) => {
        const { kind, name, url, event_types } = request;
        const address = encryptUrl(url);
        if ((await lockAndCountChannels(trx)) >= NOTIFICATION_CHANNELS_MAX) {
          throw new AppError('too_many_channels');
        }
        const secret = kind === 'webhook' ? generateSigningSecret() : null;
        const channel = await insertChannel(trx, {
          kind,
          name: cleanName(name),
          ...address,
          secret_encrypted: secret === null ? null : secrets.encrypt(secret, 'notification_secret'),
          event_types: toTypes(event_types ?? [...NOTIFICATION_EVENT_TYPES]),
          created_at: clock.now(),
        });
        await record(trx, origin, 'create', channel);
        return { channel: toChannel(channel), signing_secret: secret };
      }),

    update: (id: number, request: UpdateChannelRequest, origin: AuditOrigin) =>
      db.transaction().execute(async (trx) => {
        const before = assertFound(await lockChannel(trx, id));
        const { name, url, event_types, enabled } = request;
        const change = {
          ...(name !== undefined && { name: cleanName(name) }),
          ...(url !== undefined && encryptUrl(url)),
          ...(event_types !== undefined && { event_types: toTypes(event_types) }),
          ...(enabled === true && { enabled, disabled_at: null, disabled_reason: null }),
          ...(enabled === false &&
            before.enabled && { enabled, disabled_at: clock.now(), disabled_reason: null }),
        };
        if (Object.keys(change).length === 0) return toChannel(before);
        const channel = await updateChannel(trx, id, change);
        await record(trx, origin, 'update', channel, {
          ...(enabled !== undefined && enabled !== before.enabled && { enabled }),
          ...(url !== undefined && { url_changed: true }),
        });
        return toChannel(channel);
      }),

    /** Deletes a channel and cancels its waiting deliveries. They stay in the delivery log. */
    remove: (id: number, origin: AuditOrigin) =>
      db.transaction().execute(async (trx) => {
        const channel = assertFound(await lockChannel(trx, id));
        await cancelDeliveriesOf(trx, id);
        await deleteChannel(trx, id);
        await record(trx, origin, 'delete', channel);
      }),

    /** Records the reveal in the audit log. Returns the secret only after that record is committed. */
    revealSecret: (id: number, origin: AuditOrigin) =>
      db.transaction().execute(async (trx) => {
        const channel = assertFound(await lockChannel(trx, id));
        if (channel.secret_encrypted === null) {
          throw new AppError('channel_not_found', {
            message: 'A Slack channel has no signing secret.',
          });
        }
        await record(trx, origin, 'reveal_secret', channel);
        return secrets.decrypt(channel.secret_encrypted, 'notification_secret');
      }),
  };

  function encryptUrl(text: string) {
    const url = /^https?:\/\//i.test(text.trim()) ? URL.parse(text.trim()) : null;
    if (!url || url.username || url.password) throw new AppError('invalid_channel_url');
    url.hash = '';
    return { url_encrypted: secrets.encrypt(url.href, 'notification_url'), host: url.host };
  }

  async function record(
    trx: Trx,
    origin: AuditOrigin,
    action: AuditAction<'notification_channel'>,
    { id, name, kind, host }: ChannelRow,
    context: Record<string, unknown> = {},
  ): Promise<void> {
    await audit.record(trx, origin, {
      action,
      entityType: 'notification_channel',
      entityId: id,
      context: { name, kind, host, ...context },
    });
  }
}

function assertFound(channel: ChannelRow | undefined): ChannelRow {
  if (!channel) throw new AppError('channel_not_found');
  return channel;
}

/** In the format of Standard Webhooks. */
const generateSigningSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

function cleanName(name: string): string {
  const cleaned = name.replace(/\p{Cc}+/gu, ' ').trim();
  if (cleaned === '') throw new AppError('invalid_request', { message: 'name must not be empty.' });
  return cleaned;
}

/** Removes duplicates and unknown types, and sorts in the order of the contract. */
export const toTypes = (types: readonly string[]) =>
  NOTIFICATION_EVENT_TYPES.filter((type) => types.includes(type));

type LastDelivery = {
  status: 'waiting' | 'delivered' | 'failed' | 'cancelled';
  last_attempt_at: Date | null;
};

function toChannel(channel: ChannelRow, last?: LastDelivery): NotificationChannel {
  const { id, kind, name, host, event_types, enabled, disabled_at, disabled_reason } = channel;
  return {
    id,
    kind,
    name,
    host,
    event_types,
    enabled,
    disabled_at: disabled_at?.toISOString() ?? null,
    disabled_reason,
    last_delivery: last?.last_attempt_at
      ? { status: last.status, at: last.last_attempt_at.toISOString() }
      : null,
  };
}
