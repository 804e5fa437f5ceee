import Type from 'typebox';
import { NOTIFICATION_CHANNELS_MAX, NOTIFICATION_NAME_MAX_LENGTH } from '../limits.ts';
import {
  CHANNEL_KINDS,
  DELIVERY_STATUSES,
  type DeliveryStatus,
  EMAIL_MODES,
} from '../notification-channels.ts';
import { NOTIFICATION_EVENT_TYPES } from '../notification-events.ts';
import { nullable, requiredText, stringEnum, timestamp, trueOnly } from './common.ts';

/** Notification channels, e-mail settings and the delivery log. */

/** E-mails to a user about the own account, which no setting turns off. */
export const ACCOUNT_MAIL_TYPES = ['password_reset', 'password_changed'] as const;
export type AccountMailType = (typeof ACCOUNT_MAIL_TYPES)[number];

/** `digest`: one message about several events. `test`: sent by a user. */
export const DELIVERY_TYPES = [
  ...NOTIFICATION_EVENT_TYPES,
  ...ACCOUNT_MAIL_TYPES,
  'digest',
  'test',
] as const;
export type DeliveryType = (typeof DELIVERY_TYPES)[number];

const eventTypes = () =>
  Type.Array(stringEnum(NOTIFICATION_EVENT_TYPES), { maxItems: NOTIFICATION_EVENT_TYPES.length });
const channelName = () => requiredText(NOTIFICATION_NAME_MAX_LENGTH);
const channelUrl = () => requiredText(2000);

export const NotificationChannel = Type.Object({
  id: Type.Integer(),
  kind: stringEnum(CHANNEL_KINDS),
  name: Type.String(),
  host: Type.String({ description: 'The host of the URL. The URL itself is a secret.' }),
  event_types: eventTypes(),
  enabled: Type.Boolean(),
  disabled_at: nullable.timestamp(),
  disabled_reason: Type.Unsafe<'gone' | null>({
    type: ['string', 'null'],
    enum: ['gone', null],
    description:
      'gone: the receiver responded with 410. Null: the channel is on, or an owner turned it off.',
  }),
  last_delivery: Type.Unsafe<{ status: DeliveryStatus; at: string } | null>({
    type: ['object', 'null'],
    properties: { status: stringEnum(DELIVERY_STATUSES), at: timestamp() },
    required: ['status', 'at'],
  }),
});
export type NotificationChannel = Type.Static<typeof NotificationChannel>;

export const NotificationChannelsResponse = Type.Object({
  success: trueOnly(),
  channels: Type.Array(NotificationChannel, { maxItems: NOTIFICATION_CHANNELS_MAX }),
  smtp_configured: Type.Boolean(),
  email_users: Type.Integer({ description: 'The number of users who want e-mail.' }),
});

export const CreateChannelRequest = Type.Object({
  kind: stringEnum(CHANNEL_KINDS),
  name: channelName(),
  url: channelUrl(),
  event_types: Type.Optional(eventTypes()),
});
export type CreateChannelRequest = Type.Static<typeof CreateChannelRequest>;

export const UpdateChannelRequest = Type.Object({
  name: Type.Optional(channelName()),
  url: Type.Optional(channelUrl()),
  event_types: Type.Optional(eventTypes()),
  enabled: Type.Optional(Type.Boolean()),
});
export type UpdateChannelRequest = Type.Static<typeof UpdateChannelRequest>;

export const NotificationChannelResponse = Type.Object({
  success: trueOnly(),
  channel: NotificationChannel,
});

export const NewChannelResponse = Type.Object({
  success: trueOnly(),
  channel: NotificationChannel,
  signing_secret: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Null for Slack, which verifies no signature.',
  }),
});

export const SigningSecretResponse = Type.Object({
  success: trueOnly(),
  signing_secret: Type.String(),
});

export const NotificationDelivery = Type.Object({
  id: Type.Integer(),
  type: stringEnum(DELIVERY_TYPES),
  subject: Type.String(),
  recipient: Type.String({ description: 'The name of the channel, or an e-mail address.' }),
  channel_id: nullable.integer(),
  kind: stringEnum([...CHANNEL_KINDS, 'email']),
  status: stringEnum(DELIVERY_STATUSES),
  attempts: Type.Integer(),
  http_status: nullable.integer(),
  error: nullable.string(),
  created_at: timestamp(),
  last_attempt_at: nullable.timestamp(),
  next_attempt_at: nullable.timestamp(),
  delivered_at: nullable.timestamp(),
});
export type NotificationDelivery = Type.Static<typeof NotificationDelivery>;

export const DeliveriesQuery = Type.Object({
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.String()),
  status: Type.Optional(stringEnum(DELIVERY_STATUSES)),
});
export type DeliveriesQuery = Type.Static<typeof DeliveriesQuery>;

export const DeliveriesResponse = Type.Object({
  success: trueOnly(),
  deliveries: Type.Array(NotificationDelivery, { description: 'Newest first.' }),
  next_cursor: nullable.string(),
});

/** The result of a delivery that a user requested. */
export const DeliveryResponse = Type.Object({
  success: trueOnly(),
  delivery: NotificationDelivery,
});

export const EmailSettings = Type.Object({
  mode: stringEnum(EMAIL_MODES),
  event_types: eventTypes(),
});
export type EmailSettings = Type.Static<typeof EmailSettings>;

export const EmailSettingsResponse = Type.Object({
  success: trueOnly(),
  settings: EmailSettings,
  available_event_types: Type.Array(stringEnum(NOTIFICATION_EVENT_TYPES)),
  smtp_configured: Type.Boolean(),
});

const mailResult = (properties: Record<string, Type.TSchema>) => ({
  type: ['object', 'null'] as const,
  properties,
  required: Object.keys(properties),
});

/** The mail server of the panel, for owners. */
export const MailStatus = Type.Object({
  configured: Type.Boolean({ description: 'Whether SMTP_URL and SMTP_FROM are set.' }),
  server: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The host and port of the mail server. Null: not configured.',
  }),
  sender: nullable.string(),
  links_start_with: Type.String({
    description: 'The address in the links of e-mails: BASE_URL.',
  }),
  last_sent: Type.Unsafe<{ at: string; recipient: string } | null>({
    ...mailResult({ at: timestamp(), recipient: Type.String() }),
    description: 'The last e-mail that the mail server accepted, of the last 90 days.',
  }),
  last_failure: Type.Unsafe<{ at: string; recipient: string; error: string } | null>({
    ...mailResult({ at: timestamp(), recipient: Type.String(), error: Type.String() }),
    description: 'The last e-mail that was not sent, of the last 90 days. `error` says why.',
  }),
});
export type MailStatus = Type.Static<typeof MailStatus>;

export const MailStatusResponse = Type.Object({ success: trueOnly(), mail: MailStatus });
