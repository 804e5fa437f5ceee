import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, Tables } from '../../platform/database/tables.ts';

export type AuditFilter = {
  actor?: string | undefined;
  action?: string | undefined;
  entityType?: string | undefined;
  entityId?: string | undefined;
  siteId?: number | undefined;
  /** The first moment. */
  from?: Date | undefined;
  /** The first moment after. */
  to?: Date | undefined;
  /** Somewhere in the entity's id, the context, the address or the request's id. */
  text?: string | undefined;
};

/**
 * A place in the order that records are read in. The moment as the database writes it: a Date would
 * lose its microseconds.
 */
export type Position = { id: number; moment: string };

export type RecordRow = Omit<Selectable<Tables['audit_log']>, 'previous_seq' | 'previous_hash'>;

const COLUMNS = sql`id, at, actor, action, entity_type, entity_id, site_id, context, ip, request_id`;
// Not called `at`: that would be what ORDER BY sorts by, as text and without the index.
const POSITION = sql`id, at::text AS moment`;
const NEWEST_FIRST = sql`ORDER BY at DESC, id DESC`;

export async function findPosition(db: Database, id: number): Promise<Position | undefined> {
  const { rows } = await sql<Position>`
    SELECT ${POSITION} FROM audit_log WHERE id = ${id}`.execute(db);
  return rows[0];
}

/** The place that is so many records further down. */
export async function findPositionAfter(
  db: Database,
  filter: AuditFilter,
  below: Position | undefined,
  recordCount: number,
): Promise<Position | undefined> {
  const { rows } = await sql<Position>`
    SELECT ${POSITION} FROM audit_log WHERE ${matches(filter, below)} ${NEWEST_FIRST}
    OFFSET ${recordCount - 1} LIMIT 1`.execute(db);
  return rows[0];
}

export async function listRecords(
  db: Database,
  filter: AuditFilter,
  below: Position | undefined,
  limit: number,
): Promise<RecordRow[]> {
  const { rows } = await sql<RecordRow>`
    SELECT ${COLUMNS} FROM audit_log WHERE ${matches(filter, below)} ${NEWEST_FIRST}
    LIMIT ${limit}`.execute(db);
  return rows;
}

export type SiteName = { id: number; name: string };

export function listSiteNames(db: Database, ids: number[]): Promise<SiteName[]> {
  return db.selectFrom('sites').select(['id', 'name']).where('id', 'in', ids).execute();
}

/** Those that match `wanted` among the newest so many that match `filter`. */
export async function searchRecords(
  db: Database,
  filter: AuditFilter,
  wanted: AuditFilter,
  below: Position | undefined,
  { lookThrough, limit }: { lookThrough: number; limit: number },
): Promise<RecordRow[]> {
  const { rows } = await sql<RecordRow>`
    SELECT ${COLUMNS} FROM (
      SELECT ${COLUMNS} FROM audit_log WHERE ${matches(filter, below)} ${NEWEST_FIRST}
      LIMIT ${lookThrough}
    ) AS newest
    WHERE ${matches(wanted)} ${NEWEST_FIRST} LIMIT ${limit}`.execute(db);
  return rows;
}

function matches(filter: AuditFilter, below?: Position): RawBuilder<unknown> {
  const conditions = [sql`true`];
  const { actor, action, entityType, entityId, siteId, from, to, text } = filter;
  if (actor !== undefined) conditions.push(sql`actor = ${actor}`);
  if (action !== undefined) conditions.push(sql`action = ${action}`);
  if (entityType !== undefined) conditions.push(sql`entity_type = ${entityType}`);
  if (entityId !== undefined) conditions.push(sql`entity_id = ${entityId}`);
  if (siteId !== undefined) conditions.push(sql`site_id = ${siteId}`);
  if (from !== undefined) conditions.push(sql`at >= ${from}`);
  if (to !== undefined) conditions.push(sql`at < ${to}`);
  if (below) conditions.push(sql`(at, id) < (${below.moment}::timestamptz, ${below.id}::bigint)`);
  if (text !== undefined) {
    const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
    const searched = sql`concat_ws(E'\n', entity_id, context::text, ip, request_id)`;
    conditions.push(sql`${searched} ILIKE ${pattern}`);
  }
  return sql.join(conditions, sql` AND `);
}
