/**
 * A record as stored. `at` and `context` are text, because JavaScript would lose information: a Date has no
 * microseconds, and a JSON parser does not preserve how a number is written.
 */
export type StoredRecord = {
  id: number;
  at: string;
  actor: string;
  action: string;
  entity_type: string;
  entity_id: string;
  site_id: number | null;
  context: string;
  ip: string | null;
  request_id: string | null;
  previous_seq: number | null;
  previous_hash: string | null;
};

/** Builds the SQL column list of `StoredRecord`. `table` is the alias of `audit_log` in the query. */
export const buildStoredRecordColumns = (table: string) =>
  `${table}.id, extract(epoch FROM ${table}.at)::text AS at, ${table}.actor, ${table}.action,
   ${table}.entity_type, ${table}.entity_id, ${table}.site_id, ${table}.context::text AS context,
   ${table}.ip, ${table}.request_id, ${table}.previous_seq,
   encode(${table}.previous_hash, 'hex') AS previous_hash`;
