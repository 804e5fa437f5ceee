import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/tables.ts';
import { type Link, NO_HASH } from './audit-hashes.ts';
import { type StoredRecord, storedRecordColumns } from './stored-record.ts';

/** The record of a link or a mark, as far as it is there: all null when it is not. */
type PerhapsRecord = StoredRecord | { [Column in keyof StoredRecord]: null };

export type Mark = {
  record_id: number;
  /** Null: from before there was a chain. */
  record_hash: string | null;
  is_sealed: boolean;
  record: StoredRecord | null;
};

export type LinkWithRecord = Link & {
  record: StoredRecord | null;
  /** The hash that the link now has which the record names as the newest before it. */
  named_hash: string | null;
};

const RECORD = sql.raw(storedRecordColumns('a'));

/** Where a reading starts: whoever slips something in may have given it any number. */
export const BEFORE_ALL = Number.MIN_SAFE_INTEGER;
const AFTER_ALL = Number.MAX_SAFE_INTEGER;

const CHAIN_LOCK = 0x57e3a7e;
/** A sealer has done its work in milliseconds, except the first time on a log with a long past. */
const LOCK_PATIENCE = '5s';

/** Until the end of the transaction, among sealers; writers have no part in it. */
export async function lockChain(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${CHAIN_LOCK})
            FROM set_config('lock_timeout', ${LOCK_PATIENCE}, true)`.execute(trx);
}

/** For the rest of the transaction: to look at every record there is may take its time. */
export async function allowLongStatements(trx: Trx): Promise<void> {
  await sql`SET LOCAL statement_timeout = 0`.execute(trx);
}

export async function findHead(db: Database): Promise<{ seq: number; hash: string }> {
  const { rows } = await sql<{ seq: number; hash: string }>`
    SELECT seq, encode(hash, 'hex') AS hash FROM audit_chain ORDER BY seq DESC LIMIT 1`.execute(db);
  return rows[0] ?? { seq: 0, hash: NO_HASH };
}

export async function hasMarks(db: Database): Promise<boolean> {
  return (
    (await db.selectFrom('audit_unsealed').select('record_id').limit(1).executeTakeFirst()) !==
    undefined
  );
}

/** Each is looked up by itself, here and below: the planner, left to choose, read whole tables. */
export async function listMarks(db: Database, afterId: number, limit: number): Promise<Mark[]> {
  const { rows } = await sql<Omit<Mark, 'record'> & PerhapsRecord>`
    SELECT m.record_id, encode(m.record_hash, 'hex') AS record_hash,
           c.seq IS NOT NULL AS is_sealed, ${RECORD}
    FROM (SELECT * FROM audit_unsealed WHERE record_id > ${afterId}
          ORDER BY record_id LIMIT ${limit}) m
    LEFT JOIN LATERAL (SELECT * FROM audit_log WHERE id = m.record_id LIMIT 1) a ON true
    LEFT JOIN LATERAL (SELECT seq FROM audit_chain WHERE record_id = m.record_id LIMIT 1) c ON true
    ORDER BY m.record_id`.execute(db);
  return rows.map((row) => ({ ...row, record: recordIn(row) }));
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

/** By a function with the rights of the owner: the panel itself may remove no mark. */
export async function removeMarks(trx: Trx, recordIds: number[]): Promise<void> {
  await sql`SELECT remove_sealed_marks(${recordIds}::bigint[])`.execute(trx);
}

export async function listLinks(
  db: Database,
  afterSeq: number,
  limit: number,
): Promise<LinkWithRecord[]> {
  const { rows } = await sql<
    Omit<LinkWithRecord, 'record' | 'previous_hash'> & PerhapsRecord & { link_previous: string }
  >`
    SELECT c.seq, c.record_id, encode(c.record_hash, 'hex') AS record_hash,
           encode(c.previous_hash, 'hex') AS link_previous, encode(c.hash, 'hex') AS hash,
           encode(named.hash, 'hex') AS named_hash, ${RECORD}
    FROM (SELECT * FROM audit_chain WHERE seq > ${afterSeq} ORDER BY seq LIMIT ${limit}) c
    LEFT JOIN LATERAL (SELECT * FROM audit_log WHERE id = c.record_id LIMIT 1) a ON true
    LEFT JOIN LATERAL (SELECT hash FROM audit_chain
                       WHERE seq = a.previous_seq AND seq < c.seq LIMIT 1) named ON true
    ORDER BY c.seq`.execute(db);
  return rows.map(({ link_previous, ...row }) => ({
    ...row,
    previous_hash: link_previous,
    record: recordIn(row),
  }));
}

/** The first record in a range of ids that is neither in the chain nor marked as on its way there. */
export async function findStray(
  db: Database,
  { after, upTo }: { after: number; upTo: number } = { after: BEFORE_ALL, upTo: AFTER_ALL },
): Promise<number | null> {
  const { rows } = await sql<{ id: number | null }>`
    SELECT min(a.id) AS id
    FROM audit_log a
    WHERE a.id > ${after} AND a.id <= ${upTo}
      AND NOT EXISTS (SELECT FROM audit_chain c WHERE c.record_id = a.id)
      AND NOT EXISTS (SELECT FROM audit_unsealed m WHERE m.record_id = a.id)`.execute(db);
  return rows[0]?.id ?? null;
}

/** The id so many records after this one, or of the last. Null: there is none after it. */
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

function recordIn(row: PerhapsRecord): StoredRecord | null {
  return row.id === null ? null : row;
}
