import type { NotificationEvent } from '@steward/contract';
import type { Generated, GeneratedAlways } from 'kysely';

/** The tables of notifications. */
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
};
