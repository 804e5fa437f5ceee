import type { NotificationEventType } from '@steward/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { NotificationTables } from './tables.ts';

export type ChannelRow = Selectable<NotificationTables['notification_channels']>;

/** Until the commit, no other transaction can create a channel, so the count stays within the limit. */
export async function lockAndCountChannels(trx: Trx): Promise<number> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('steward: channels', 0))`.execute(trx);
  const { count } = await tables(trx)
    .selectFrom('notification_channels')
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function listChannels(db: Database): Promise<ChannelRow[]> {
  return tables(db).selectFrom('notification_channels').selectAll().orderBy('id').execute();
}

/** Lists for each channel its newest delivery with at least one attempt. */
export async function listLastDeliveries(db: Database) {
  const rows = await tables(db)
    .selectFrom('notification_channels as c')
    .innerJoinLateral(
      (query) =>
        query
          .selectFrom('notification_deliveries as d')
          .select(['d.status', 'd.last_attempt_at'])
          .whereRef('d.channel_id', '=', 'c.id')
          .where('d.last_attempt_at', 'is not', null)
          .orderBy('d.created_at', 'desc')
          .orderBy('d.id', 'desc')
          .limit(1)
          .as('last'),
      (join) => join.onTrue(),
    )
    .select(['c.id', 'last.status', 'last.last_attempt_at'])
    .execute();
  return new Map(rows.map(({ id, ...last }) => [id, last]));
}

/** Lists the enabled channels that want at least one of these types. */
export function listChannelsFor(
  db: Database,
  types: NotificationEventType[],
): Promise<Pick<ChannelRow, 'id' | 'kind' | 'name' | 'event_types'>[]> {
  return tables(db)
    .selectFrom('notification_channels')
    .select(['id', 'kind', 'name', 'event_types'])
    .where('enabled', '=', true)
    .where(sql<boolean>`event_types && ${types}::text[]`)
    .orderBy('id')
    .execute();
}

export function findChannel(db: Database, id: number): Promise<ChannelRow | undefined> {
  return tables(db)
    .selectFrom('notification_channels')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
}

export function lockChannel(trx: Trx, id: number): Promise<ChannelRow | undefined> {
  return tables(trx)
    .selectFrom('notification_channels')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export function insertChannel(
  trx: Trx,
  channel: Insertable<NotificationTables['notification_channels']>,
): Promise<ChannelRow> {
  return tables(trx)
    .insertInto('notification_channels')
    .values(channel)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function updateChannel(
  trx: Trx,
  id: number,
  change: Updateable<NotificationTables['notification_channels']>,
): Promise<ChannelRow> {
  return tables(trx)
    .updateTable('notification_channels')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteChannel(trx: Trx, id: number): Promise<void> {
  await tables(trx).deleteFrom('notification_channels').where('id', '=', id).execute();
}
