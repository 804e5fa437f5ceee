import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { type Link, NO_HASH } from './audit-hashes.ts';
import { tables } from './database.ts';
import { buildStoredRecordColumns, type StoredRecord } from './stored-record.ts';

/** The audit record joined to a link or a mark. All columns are null when the record is missing. */
type NullableRecord = StoredRecord | { [Column in keyof StoredRecord]: null };

/** Marks a committed record that is not in the hash chain yet. */
export type Mark = {
  record_id: number;
  /** Null: the record is older than the hash chain. */
  record_hash: string | null;
  is_sealed: boolean;
  record: StoredRecord | null;
};

export type LinkWithRecord = Link & {
  record: StoredRecord | null;
  /** The partition that contains the record. */
  partition: string | null;
  /**
   * When the record was written, it stored the number and the hash of an earlier link: `previous_seq`, `previous_hash`.
   * This field is the present hash of that link. It must equal `record.previous_hash`.
   */
  hash_of_link_named_by_record: string | null;
};

const RECORD_COLUMNS = sql.raw(buildStoredRecordColumns('a'));

/** Start of a full read. A record or link inserted outside Steward can have any number, even a negative one. */
export const LOWEST_NUMBER = Number.MIN_SAFE_INTEGER;
const ALL_IDS = { after: LOWEST_NUMBER, upTo: Number.MAX_SAFE_INTEGER };

const CHAIN_LOCK = 0x57e3a7e;
/** A sealer holds the lock for milliseconds, except when it seals a large log for the first time. */
const LOCK_TIMEOUT = '5s';

/** Blocks other sealers until the transaction ends. Does not block writers. */
export async function lockChain(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${CHAIN_LOCK})
            FROM set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`.execute(trx);
}

/** Disables the statement timeout until the transaction ends: reading the whole log can take longer. */
export async function allowLongStatements(trx: Trx): Promise<void> {
  await sql`SET LOCAL statement_timeout = 0`.execute(trx);
}

/**
 * The first statement of a transaction that reads the log in one snapshot. The lock takes no snapshot, so a detachment
 * has either ended before the snapshot or starts after it. Otherwise, its records would be missing without a checkpoint.
 */
export async function lockForSnapshot(trx: Trx): Promise<void> {
  await sql`LOCK TABLE ONLY audit_log IN ACCESS SHARE MODE`.execute(trx);
}

export async function findHead(db: Database): Promise<{ seq: number; hash: string }> {
  const { rows } = await sql<{ seq: number; hash: string }>`
    SELECT seq, encode(hash, 'hex') AS hash FROM audit_chain ORDER BY seq DESC LIMIT 1`.execute(db);
  return rows[0] ?? { seq: 0, hash: NO_HASH };
}

export async function hasMarks(db: Database): Promise<boolean> {
  return (
    (await tables(db)
      .selectFrom('audit_unsealed')
      .select('record_id')
      .limit(1)
      .executeTakeFirst()) !== undefined
  );
}

/**
 * Joins each row of the query `page` to its audit record `a`. The span limits the lookups to the partitions that can
 * contain the records: without it, each lookup would search all partitions. OFFSET 0 keeps PostgreSQL from searching
 * the first and the last time in the index on `at`, which would read the whole index.
 */
const JOIN_RECORDS = sql`
  LEFT JOIN LATERAL (SELECT *, tableoid::regclass::text AS partition FROM audit_log
                     WHERE id = page.record_id AND at >= (SELECT first_at FROM span)
                       AND at <= (SELECT last_at FROM span) LIMIT 1) a ON true`;
const SPAN = sql`
  span AS MATERIALIZED (
    SELECT min(at) AS first_at, max(at) AS last_at
    FROM (SELECT at FROM audit_log
          WHERE id BETWEEN (SELECT min(record_id) FROM page) AND (SELECT max(record_id) FROM page)
          OFFSET 0) records)`;

/** Lateral joins, here and in listLinks, force index lookups: with plain joins, the planner chose full table scans. */
export async function listMarks(db: Database, afterId: number, limit: number): Promise<Mark[]> {
  const { rows } = await sql<Omit<Mark, 'record'> & NullableRecord>`
    WITH page AS MATERIALIZED (
      SELECT * FROM audit_unsealed WHERE record_id > ${afterId} ORDER BY record_id LIMIT ${limit}
    ), ${SPAN}
    SELECT page.record_id, encode(page.record_hash, 'hex') AS record_hash,
           c.seq IS NOT NULL AS is_sealed, ${RECORD_COLUMNS}
    FROM page ${JOIN_RECORDS}
    LEFT JOIN LATERAL (SELECT seq FROM audit_chain
                       WHERE record_id = page.record_id LIMIT 1) c ON true
    ORDER BY page.record_id`.execute(db);
  return rows.map((row) => ({ ...row, record: toRecord(row) }));
}

export async function appendLinks(trx: Trx, links: Link[]): Promise<void> {
  await sql`
    INSERT INTO audit_chain (seq, record_id, record_hash, previous_hash, hash)
    SELECT seq, record_id, decode(record_hash, 'hex'), decode(previous_hash, 'hex'),
           decode(hash, 'hex')
    FROM json_to_recordset(${JSON.stringify(links)}::json)
      AS l (seq bigint, record_id bigint, record_hash text, previous_hash text, hash text)
  `.execute(trx);
}

/** The SQL function runs with the rights of the table owner: the panel's database role cannot delete marks. */
export async function removeMarks(trx: Trx, recordIds: number[]): Promise<void> {
  await sql`SELECT remove_sealed_marks(${recordIds}::bigint[])`.execute(trx);
}

export async function listLinks(
  db: Database,
  afterSeq: number,
  limit: number,
): Promise<LinkWithRecord[]> {
  const { rows } = await sql<
    Omit<LinkWithRecord, 'record' | 'previous_hash'> &
      NullableRecord & { link_previous_hash: string }
  >`
    WITH page AS MATERIALIZED (
      SELECT * FROM audit_chain WHERE seq > ${afterSeq} ORDER BY seq LIMIT ${limit}
    ), ${SPAN}
    SELECT page.seq, page.record_id, encode(page.record_hash, 'hex') AS record_hash,
           encode(page.previous_hash, 'hex') AS link_previous_hash, encode(page.hash, 'hex') AS hash,
           encode(previous.hash, 'hex') AS hash_of_link_named_by_record,
           a.partition, ${RECORD_COLUMNS}
    FROM page ${JOIN_RECORDS}
    LEFT JOIN LATERAL (SELECT hash FROM audit_chain
                       WHERE seq = a.previous_seq AND seq < page.seq LIMIT 1) previous ON true
    ORDER BY page.seq`.execute(db);
  return rows.map(({ link_previous_hash, ...row }) => ({
    ...row,
    previous_hash: link_previous_hash,
    record: toRecord(row),
  }));
}

/** Finds the first record in a range of ids that has neither a link nor a mark. */
export async function findStrayRecord(
  db: Database,
  { after, upTo }: { after: number; upTo: number } = ALL_IDS,
): Promise<number | null> {
  const { rows } = await sql<{ id: number | null }>`
    SELECT min(a.id) AS id
    FROM audit_log a
    WHERE a.id > ${after} AND a.id <= ${upTo}
      AND NOT EXISTS (SELECT FROM audit_chain c WHERE c.record_id = a.id)
      AND NOT EXISTS (SELECT FROM audit_unsealed m WHERE m.record_id = a.id)`.execute(db);
  return rows[0]?.id ?? null;
}

/** Finds the first id in a range that several records have. A primary key covers only one partition. */
export async function findRepeatedId(
  db: Database,
  { after, upTo }: { after: number; upTo: number } = ALL_IDS,
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM audit_log WHERE id > ${after} AND id <= ${upTo}
    GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT 1`.execute(db);
  return rows[0]?.id ?? null;
}

/** Finds the id `count` records after `after`, or the last id if fewer follow. Null: no record follows. */
export async function findIdAfter(
  db: Database,
  after: number,
  count: number,
): Promise<number | null> {
  const { rows } = await sql<{ id: number | null }>`
    SELECT max(id) AS id FROM (SELECT id FROM audit_log WHERE id > ${after}
                               ORDER BY id LIMIT ${count}) page`.execute(db);
  return rows[0]?.id ?? null;
}

function toRecord(row: NullableRecord): StoredRecord | null {
  return row.id === null ? null : row;
}
