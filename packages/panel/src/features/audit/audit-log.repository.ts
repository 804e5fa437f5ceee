import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import type { AuditTables } from './tables.ts';

export type AuditFilter = {
  actor?: string | undefined;
  action?: string | undefined;
  entityType?: string | undefined;
  entityId?: string | undefined;
  siteId?: number | undefined;
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
  /** Substring of the entity id, the context, the IP address or the request id. */
  text?: string | undefined;
};

/**
 * A position in the newest-first order. The time is text, because a Date would lose the microseconds.
 */
export type Cursor = { id: number; at_text: string };

export type RecordRow = Omit<
  Selectable<AuditTables['audit_log']>,
  'previous_seq' | 'previous_hash'
>;

const COLUMNS = sql`id, at, actor, action, entity_type, entity_id, site_id, context, ip, request_id`;
// Not named `at`: ORDER BY would then sort by this text and not use the index.
const CURSOR = sql`id, at::text AS at_text`;
const NEWEST_FIRST = sql`ORDER BY at DESC, id DESC`;

export async function findCursor(db: Database, id: number): Promise<Cursor | undefined> {
  const { rows } = await sql<Cursor>`
    SELECT ${CURSOR} FROM audit_log WHERE id = ${id}`.execute(db);
  return rows[0];
}

/** Finds the cursor `recordCount` records after the given one. Returns undefined if fewer records follow. */
export async function findCursorAfter(
  db: Database,
  filter: AuditFilter,
  cursor: Cursor | undefined,
  recordCount: number,
): Promise<Cursor | undefined> {
  const { rows } = await sql<Cursor>`
    SELECT ${CURSOR} FROM audit_log WHERE ${buildPredicate(filter, cursor)} ${NEWEST_FIRST}
    OFFSET ${recordCount - 1} LIMIT 1`.execute(db);
  return rows[0];
}

export async function listRecords(
  db: Database,
  filter: AuditFilter,
  cursor: Cursor | undefined,
  limit: number,
): Promise<RecordRow[]> {
  const { rows } = await sql<RecordRow>`
    SELECT ${COLUMNS} FROM audit_log WHERE ${buildPredicate(filter, cursor)} ${NEWEST_FIRST}
    LIMIT ${limit}`.execute(db);
  return rows;
}

/** Of the newest `scanLimit` records that match `indexedFilter`, returns those that also match `scanFilter`. */
export async function searchRecords(
  db: Database,
  indexedFilter: AuditFilter,
  scanFilter: AuditFilter,
  cursor: Cursor | undefined,
  { scanLimit, limit }: { scanLimit: number; limit: number },
): Promise<RecordRow[]> {
  const { rows } = await sql<RecordRow>`
    SELECT ${COLUMNS} FROM (
      SELECT ${COLUMNS} FROM audit_log WHERE ${buildPredicate(indexedFilter, cursor)} ${NEWEST_FIRST}
      LIMIT ${scanLimit}
    ) AS newest
    WHERE ${buildPredicate(scanFilter)} ${NEWEST_FIRST} LIMIT ${limit}`.execute(db);
  return rows;
}

function buildPredicate(filter: AuditFilter, cursor?: Cursor): RawBuilder<unknown> {
  const conditions = [sql`true`];
  const { actor, action, entityType, entityId, siteId, from, to, text } = filter;
  if (actor !== undefined) conditions.push(sql`actor = ${actor}`);
  if (action !== undefined) conditions.push(sql`action = ${action}`);
  if (entityType !== undefined) conditions.push(sql`entity_type = ${entityType}`);
  if (entityId !== undefined) conditions.push(sql`entity_id = ${entityId}`);
  if (siteId !== undefined) conditions.push(sql`site_id = ${siteId}`);
  if (from !== undefined) conditions.push(sql`at >= ${from}`);
  if (to !== undefined) conditions.push(sql`at < ${to}`);
  if (cursor) {
    conditions.push(sql`(at, id) < (${cursor.at_text}::timestamptz, ${cursor.id}::bigint)`);
    // PostgreSQL skips newer partitions only because of this condition.
    conditions.push(sql`at <= ${cursor.at_text}::timestamptz`);
  }
  if (text !== undefined) {
    const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
    const searchedText = sql`concat_ws(E'\n', entity_id, context::text, ip, request_id)`;
    conditions.push(sql`${searchedText} ILIKE ${pattern}`);
  }
  return sql.join(conditions, sql` AND `);
}
