import { type Insertable, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { AuditTables } from './tables.ts';

type Row = AuditTables['repeated_events'];
export type RepeatedEvent = Omit<Insertable<Row>, 'count' | 'recorded'>;

/** Counts an event. Returns how often it has happened on its day. */
export async function countEvent(
  db: Database,
  event: RepeatedEvent,
  { recordsPerDay }: { recordsPerDay: number },
): Promise<number> {
  const { count } = await tables(db)
    .insertInto('repeated_events')
    .values({ ...event, count: 1, recorded: Math.min(1, recordsPerDay) })
    .onConflict((conflict) =>
      conflict.columns(['day', 'key']).doUpdateSet({
        count: sql`repeated_events.count + 1`,
        recorded: sql`least(repeated_events.count + 1, ${recordsPerDay}::int)`,
      }),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return count;
}

export type EndedEvent = Omit<RepeatedEvent, 'key'> & { count: number; recorded: number };

/** Deletes events of days before this one and returns them. Another process skips them until the transaction ends. */
export async function takeEventsBefore(
  trx: Trx,
  day: string,
  limit: number,
): Promise<EndedEvent[]> {
  const { rows } = await sql<EndedEvent>`
    DELETE FROM repeated_events WHERE (day, key) IN (
      SELECT day, key FROM repeated_events WHERE day < ${day}::date
      ORDER BY day, key LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING day::text AS day, count, recorded, action, entity_type, entity_id, site_id, context`.execute(
    trx,
  );
  return rows;
}
