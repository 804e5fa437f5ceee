import { randomUUID } from 'node:crypto';
import type { DeliveryStatus, PanelUser } from '@steward/contract';
import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { isCreatedBy, isVisibleTo } from '../site-access/index.ts';
import { tables } from './database.ts';
import type { NotificationTables } from './tables.ts';

export type DeliveryRow = Selectable<NotificationTables['notification_deliveries']>;
export type EventRow = Selectable<NotificationTables['notification_events']>;
export type NewDelivery = Pick<
  Insertable<NotificationTables['notification_deliveries']>,
  'type' | 'event_ids' | 'kind' | 'channel_id' | 'user_id' | 'recipient'
>;

/** Name of the queue of pg-boss. */
export const NOTIFICATION_QUEUE = 'notifications';

export async function insertDeliveries(
  db: Database,
  deliveries: NewDelivery[],
  now: Date,
): Promise<Pick<DeliveryRow, 'id' | 'message_id' | 'channel_id' | 'kind'>[]> {
  if (deliveries.length === 0) return [];
  const rows = deliveries.map((delivery) => ({
    ...delivery,
    message_id: randomUUID(),
    status: 'waiting',
    created_at: now,
  }));
  // As one JSON value: a statement has at most 65,535 parameters.
  const { rows: inserted } = await sql<DeliveryRow>`
    INSERT INTO notification_deliveries
      (message_id, type, event_ids, kind, channel_id, user_id, recipient, status, created_at)
    SELECT message_id, type, event_ids, kind, channel_id, user_id, recipient, status, created_at
    FROM jsonb_populate_recordset(NULL::notification_deliveries, ${JSON.stringify(rows)}::jsonb)
    RETURNING id, message_id, channel_id, kind`.execute(db);
  return inserted;
}

/** Types whose number per user is limited. */
export type EmailType = 'test' | 'password_reset';

/** Until the commit, no other transaction can add an e-mail of the type, so the number stays within the limit. */
export async function lockAndListEmails(
  trx: Trx,
  userId: number,
  type: EmailType,
  since: Date,
): Promise<Date[]> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`steward: ${type} e-mail ${userId}`}, 0))`.execute(
    trx,
  );
  const rows = await tables(trx)
    .selectFrom('notification_deliveries')
    .select('created_at')
    .where('user_id', '=', userId)
    .where('created_at', '>', since)
    .where('type', '=', type)
    .execute();
  return rows.map(({ created_at }) => created_at);
}

/** Longer than any attempt. After a crash, another worker may send the message after this time. */
const CLAIM_SECONDS = { webhook: 20, email: 60 };

/**
 * Starts an attempt; undefined if another process is sending the message or its status does not allow an attempt.
 * The claim ends by the time of the database, which all processes share.
 */
export function claimDelivery(
  db: Database,
  id: number,
  statuses: DeliveryStatus[],
  now: Date,
): Promise<DeliveryRow | undefined> {
  return tables(db)
    .updateTable('notification_deliveries')
    .set({
      attempts: sql`attempts + 1`,
      claimed_until: sql`clock_timestamp() + make_interval(secs =>
        CASE WHEN kind = 'email' THEN ${CLAIM_SECONDS.email}::int ELSE ${CLAIM_SECONDS.webhook}::int END)`,
      last_attempt_at: now,
    })
    .where('id', '=', id)
    .where('status', 'in', statuses)
    .where(sql<SqlBool>`(claimed_until IS NULL OR claimed_until < clock_timestamp())`)
    .returningAll()
    .executeTakeFirst();
}

export type AttemptResult = {
  status: DeliveryStatus;
  httpStatus: number | null;
  error: string | null;
  now: Date;
};

/** Saves the result of an attempt, unless a later attempt has begun (fencing). */
export async function endAttempt(
  db: Database,
  { id, attempts }: Pick<DeliveryRow, 'id' | 'attempts'>,
  { status, httpStatus, error, now }: AttemptResult,
): Promise<void> {
  const isDelivered = status === 'delivered';
  await tables(db)
    .updateTable('notification_deliveries')
    .set({
      // A delivery that was cancelled meanwhile stays cancelled, unless the message arrived.
      status: isDelivered
        ? status
        : sql<DeliveryStatus>`CASE WHEN status = 'cancelled' THEN status ELSE ${status} END`,
      http_status: httpStatus,
      error: isDelivered
        ? null
        : sql<string | null>`CASE WHEN status = 'cancelled' THEN error ELSE ${error}::text END`,
      claimed_until: null,
      delivered_at: isDelivered ? now : null,
    })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute();
}

/**
 * Ends the claim of a process that stops before it knows the result. The message may have arrived; the next attempt
 * sends it again with the same message id.
 */
export async function releaseClaim(
  db: Database,
  { id, attempts }: Pick<DeliveryRow, 'id' | 'attempts'>,
): Promise<void> {
  await tables(db)
    .updateTable('notification_deliveries')
    .set({ claimed_until: null })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute();
}

export async function cancelDeliveriesOf(trx: Trx, channelId: number): Promise<void> {
  await tables(trx)
    .updateTable('notification_deliveries')
    .set({ status: 'cancelled', error: 'The channel was deleted.' })
    .where('channel_id', '=', channelId)
    .where('status', '=', 'waiting')
    .execute();
}

export function findDelivery(db: Database, id: number): Promise<DeliveryRow | undefined> {
  return tables(db)
    .selectFrom('notification_deliveries')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
}

type DeliveryPage = { before: number; limit: number; status: DeliveryStatus | undefined };

/** Lists deliveries, newest first, each with its first event and the time of its next attempt. */
export async function listDeliveries(db: Database, { before, limit, status }: DeliveryPage) {
  return selectDeliveries(db)
    .where('d.id', '<', before)
    .$if(status !== undefined, (query) => query.where('d.status', '=', status as DeliveryStatus))
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute();
}

export function findDeliveryView(db: Database, id: number) {
  return selectDeliveries(db).where('d.id', '=', id).executeTakeFirstOrThrow();
}

export type DeliveryView = Awaited<ReturnType<typeof listDeliveries>>[number];

function selectDeliveries(db: Database) {
  return tables(db)
    .selectFrom('notification_deliveries as d')
    .leftJoin('notification_events as e', (join) =>
      join.on('e.id', '=', sql<number>`d.event_ids[1]`),
    )
    .selectAll('d')
    .select([
      'e.type as event_type',
      'e.data as event_data',
      sql<number>`cardinality(d.event_ids)`.as('events'),
      // pg-boss plans the next attempt.
      sql<Date | null>`(SELECT j.start_after FROM pgboss.job j
        WHERE j.name = ${NOTIFICATION_QUEUE} AND j.id = d.message_id
          AND d.status = 'waiting' AND j.state < 'active')`.as('next_attempt_at'),
    ]);
}

/**
 * Finds those of the events that the user may see, oldest first. Owners see all. Other users see the events of their
 * sites, and of the runs and rollouts that they or their access tokens started.
 */
export function findVisibleEvents(
  db: Database,
  user: Pick<PanelUser, 'id' | 'role'>,
  ids: number[],
): Promise<EventRow[]> {
  const query = findEventsQuery(db, ids);
  if (user.role === 'owner') return query.execute();
  return query
    .where(
      sql<SqlBool>`(EXISTS (SELECT FROM sites s WHERE s.id = e.site_id AND ${isVisibleTo(user, 's')})
        OR e.type = 'run.finished_with_failures' AND EXISTS (SELECT FROM runs r
          WHERE r.id = (e.data->>'run_id')::bigint AND ${isCreatedBy(user, 'r.created_by')})
        OR e.type = 'rollout.halted' AND EXISTS (SELECT FROM rollouts r
          WHERE r.id = (e.data->>'rollout_id')::bigint AND ${isCreatedBy(user, 'r.created_by')}))`,
    )
    .execute();
}

export const findEvents = (db: Database, ids: number[]): Promise<EventRow[]> =>
  findEventsQuery(db, ids).execute();

function findEventsQuery(db: Database, ids: number[]) {
  return tables(db)
    .selectFrom('notification_events as e')
    .selectAll('e')
    .where('e.id', '=', sql<number>`ANY(${ids}::bigint[])`)
    .orderBy('e.id');
}
