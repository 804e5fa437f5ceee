import { CompiledQuery } from 'kysely';
import type { Trx } from '../../platform/database/handles.ts';
import { executePrepared } from '../../platform/database/prepared-statements.ts';
import { buildStoredRecordColumns, type StoredRecord } from './stored-record.ts';

export type NewRecord = {
  at: Date;
  actor: string;
  action: string;
  entity_type: string;
  entity_id: string;
  site_id: number | null;
  context: Record<string, unknown>;
  ip: string | null;
  request_id: string | null;
};

/** Stores the current head in each record. Takes no lock, so the head may advance before the commit. */
const INSERT_RECORDS = `
  WITH head AS (SELECT seq, hash FROM audit_chain ORDER BY seq DESC LIMIT 1)
  INSERT INTO audit_log (at, actor, action, entity_type, entity_id, site_id, context, ip, request_id,
                         previous_seq, previous_hash)
  SELECT r.at, r.actor, r.action, r.entity_type, r.entity_id, r.site_id, r.context, r.ip,
         r.request_id, head.seq, head.hash
  FROM json_to_recordset($1::json)
    AS r (at timestamptz, actor text, action text, entity_type text, entity_id text,
          site_id bigint, context jsonb, ip text, request_id text)
  LEFT JOIN head ON true
  RETURNING ${buildStoredRecordColumns('audit_log')}`;

/** Returns the stored rows with their ids. */
export async function insertAuditRecords(trx: Trx, records: NewRecord[]): Promise<StoredRecord[]> {
  // Raw SQL, here and in insertMarks: every change waits for its record, and Kysely's overhead was measurable.
  const values = [JSON.stringify(records)];
  return executePrepared(
    trx,
    CompiledQuery.raw(INSERT_RECORDS, values) as CompiledQuery<StoredRecord>,
  );
}

const INSERT_MARKS = `
  INSERT INTO audit_unsealed (record_id, record_hash)
  SELECT record_id, decode(record_hash, 'hex')
  FROM unnest($1::bigint[], $2::text[]) AS m (record_id, record_hash)`;

export async function insertMarks(
  trx: Trx,
  marks: { record_id: number; record_hash: string }[],
): Promise<void> {
  const recordIds = marks.map((mark) => mark.record_id);
  const recordHashes = marks.map((mark) => mark.record_hash);
  await executePrepared(trx, CompiledQuery.raw(INSERT_MARKS, [recordIds, recordHashes]));
}
