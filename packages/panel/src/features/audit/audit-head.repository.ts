import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';

export type LinkHash = { seq: number; record_id: number; hash: string };

const HEAD_LOCK = 0x57e3a7f;

/**
 * Locks the head file until the transaction ends: one process must not overwrite a newer head with an older one.
 * A database lock is enough, because processes that share a data directory also share the database. The chain
 * has another lock, so sealing does not wait for the disk.
 */
export async function lockHead(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${HEAD_LOCK})
            FROM set_config('lock_timeout', '10s', true)`.execute(trx);
}

export async function findNewestLink(db: Database): Promise<LinkHash | null> {
  const { rows } = await sql<LinkHash>`
    SELECT seq, record_id, encode(hash, 'hex') AS hash
    FROM audit_chain ORDER BY seq DESC LIMIT 1`.execute(db);
  return rows[0] ?? null;
}

export async function listLinksAt(db: Database, seqs: number[]): Promise<LinkHash[]> {
  const { rows } = await sql<LinkHash>`
    SELECT seq, record_id, encode(hash, 'hex') AS hash
    FROM audit_chain WHERE seq = ANY(${seqs}::bigint[])`.execute(db);
  return rows;
}

/** Lists the links before `seq`, newest first. */
export async function listLinksBefore(
  db: Database,
  seq: number,
  limit: number,
): Promise<LinkHash[]> {
  const { rows } = await sql<LinkHash>`
    SELECT seq, record_id, encode(hash, 'hex') AS hash
    FROM audit_chain WHERE seq < ${seq} ORDER BY seq DESC LIMIT ${limit}`.execute(db);
  return rows;
}

/**
 * Finds the last link in a range whose record id is at most `upToRecordId`. Used after links were removed from the end
 * of the chain: a link with a higher record id was appended after the removal and proves nothing about the gap.
 */
export async function findLastLinkUpToRecord(
  db: Database,
  range: { after: number; before: number; upToRecordId: number },
): Promise<{ seq: number; record_id: number } | null> {
  const { rows } = await sql<{ seq: number; record_id: number }>`
    SELECT seq, record_id FROM audit_chain
    WHERE seq > ${range.after} AND seq < ${range.before} AND record_id <= ${range.upToRecordId}
    ORDER BY seq DESC LIMIT 1`.execute(db);
  return rows[0] ?? null;
}
