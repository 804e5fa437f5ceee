import { ACCOUNT_MAIL_TYPES } from '@steward/contract';
import { type Insertable, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { EventRow } from './deliveries.repository.ts';
import type { NotificationTables } from './tables.ts';

/** Claims the oldest events without deliveries. Other processes skip them. */
export function claimEvents(trx: Trx, limit: number): Promise<EventRow[]> {
  return tables(trx)
    .selectFrom('notification_events')
    .selectAll()
    .where('queued_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

export async function markQueued(trx: Trx, ids: number[], now: Date): Promise<void> {
  await tables(trx)
    .updateTable('notification_events')
    .set({ queued_at: now })
    .where('id', '=', sql<number>`ANY(${ids}::bigint[])`)
    .execute();
}

/** Exactly one of the two ids is set. */
export type Recipient = { channelId: number; userId: null } | { channelId: null; userId: number };

const whereRecipient = ({ channelId, userId }: Recipient) =>
  channelId === null ? sql<boolean>`user_id = ${userId}` : sql<boolean>`channel_id = ${channelId}`;

/** Counts the messages to the recipient since a time, without those of tests and about the account. */
export async function countDeliveries(
  db: Database,
  recipient: Recipient,
  since: Date,
): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('notification_deliveries')
    .select(sql<number>`count(*)`.as('count'))
    .where(whereRecipient(recipient))
    .where('created_at', '>', since)
    .where('type', 'not in', ['test', ...ACCOUNT_MAIL_TYPES])
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertGathered(
  trx: Trx,
  rows: Insertable<NotificationTables['notification_gathered_events']>[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    INSERT INTO notification_gathered_events (event_id, channel_id, user_id, due_at)
    SELECT event_id, channel_id, user_id, due_at
    FROM jsonb_populate_recordset(NULL::notification_gathered_events, ${JSON.stringify(rows)}::jsonb)`.execute(
    trx,
  );
}

/** Lists the recipients with at least one gathered event that is due. */
export async function listDueRecipients(db: Database, now: Date): Promise<Recipient[]> {
  const rows = await tables(db)
    .selectFrom('notification_gathered_events')
    .select(['channel_id', 'user_id'])
    .distinct()
    .where('due_at', '<=', now)
    .execute();
  return rows.map(({ channel_id, user_id }) => ({
    channelId: channel_id,
    userId: user_id,
  })) as Recipient[];
}

/**
 * Deletes the gathered events of the recipient and returns their ids, oldest first. A second process waits for the row
 * locks and then finds no rows, so no event is sent twice.
 */
export async function takeGathered(trx: Trx, recipient: Recipient): Promise<number[]> {
  const rows = await tables(trx)
    .deleteFrom('notification_gathered_events')
    .where(whereRecipient(recipient))
    .returning('event_id')
    .execute();
  return rows.map(({ event_id }) => event_id).sort((a, b) => a - b);
}

/** Deletes older deliveries and events. Returns the number of deleted deliveries. Events that wait for a digest stay. */
export async function deleteOld(db: Database, before: Date): Promise<number> {
  const deliveries = await tables(db)
    .deleteFrom('notification_deliveries')
    .where('created_at', '<', before)
    .executeTakeFirst();
  await tables(db)
    .deleteFrom('notification_events')
    .where('created_at', '<', before)
    .where('queued_at', 'is not', null)
    .where(
      sql<boolean>`NOT EXISTS (SELECT FROM notification_gathered_events g WHERE g.event_id = notification_events.id)`,
    )
    .execute();
  return Number(deliveries.numDeletedRows);
}

/** Ends older deliveries that still wait: a worker was killed during the last attempt, or no worker ran for long. */
export async function failAbandoned(db: Database, before: Date): Promise<void> {
  await tables(db)
    .updateTable('notification_deliveries')
    .set({
      status: 'failed',
      error:
        'Steward did not finish its attempts in two days, so the message may not have arrived.',
    })
    .where('status', '=', 'waiting')
    .where('created_at', '<', before)
    .execute();
}
