import type { NotificationEvent } from '@steward/contract';
import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

/** Announces new events to the processes that queue deliveries. */
export const EVENT_CHANNEL = 'steward_notification_events';

export type NewEvent = NotificationEvent & {
  /** Identifies the change of state, such as "site.down 12 2026-06-01T12:00:00.000Z". */
  key: string;
  /**
   * The site that the event concerns. Of the users, only those with access to it get an e-mail; channels get all
   * events.
   */
  siteId?: number;
};

export type NotificationOutbox = ReturnType<typeof createNotificationOutbox>;

/** Records an event in the transaction that causes it. Deliveries follow after the commit. */
export function createNotificationOutbox({ clock }: { clock: Clock }) {
  return {
    /** Returns those of the keys whose event is recorded. */
    async listAnnounced(trx: Trx, keys: string[]): Promise<Set<string>> {
      const rows = await tables(trx)
        .selectFrom('notification_events')
        .select('key')
        .where('key', '=', sql<string>`ANY(${keys}::text[])`)
        .execute();
      return new Set(rows.map(({ key }) => key));
    },

    /** Ignores an event whose key exists: this change of state was already announced. */
    async emit(trx: Trx, { type, key, siteId, data }: NewEvent): Promise<void> {
      await tables(trx)
        .insertInto('notification_events')
        .values({ type, key, site_id: siteId ?? null, data, created_at: clock.now() })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute();
      await sql`SELECT pg_notify(${EVENT_CHANNEL}, '')`.execute(trx);
    },
  };
}
