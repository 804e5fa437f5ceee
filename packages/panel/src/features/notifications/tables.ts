import type {
  ChannelKind,
  DeliveryStatus,
  DeliveryType,
  EmailMode,
  NotificationEvent,
  NotificationEventType,
} from '@steward/contract';
import type { Generated, GeneratedAlways } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

/** Only this feature writes these tables. */
export type NotificationTables = {
  notification_events: {
    id: GeneratedAlways<number>;
    type: NotificationEvent['type'];
    key: string;
    site_id: number | null;
    data: NotificationEvent['data'];
    created_at: Date;
    queued_at: Generated<Date | null>;
  };
  notification_channels: {
    id: GeneratedAlways<number>;
    kind: ChannelKind;
    name: string;
    url_encrypted: Buffer;
    host: string;
    secret_encrypted: Buffer | null;
    event_types: NotificationEventType[];
    enabled: Generated<boolean>;
    disabled_at: Generated<Date | null>;
    disabled_reason: Generated<'gone' | null>;
    created_at: Date;
  };
  notification_emails: {
    user_id: number;
    mode: EmailMode;
    event_types: NotificationEventType[];
    updated_at: Date;
  };
  notification_deliveries: {
    id: GeneratedAlways<number>;
    message_id: string;
    type: DeliveryType;
    event_ids: number[];
    kind: ChannelKind | 'email';
    channel_id: number | null;
    user_id: number | null;
    recipient: string;
    status: DeliveryStatus;
    attempts: Generated<number>;
    claimed_until: Generated<Date | null>;
    http_status: Generated<number | null>;
    error: Generated<string | null>;
    created_at: Date;
    last_attempt_at: Generated<Date | null>;
    delivered_at: Generated<Date | null>;
  };
  notification_gathered_events: {
    id: GeneratedAlways<number>;
    event_id: number;
    channel_id: number | null;
    user_id: number | null;
    due_at: Date;
  };
};

/** What other features may read. */
export type PublishedNotificationTables = {
  notification_channels: ReadOnly<NotificationTables['notification_channels'], 'id' | 'name'>;
};
