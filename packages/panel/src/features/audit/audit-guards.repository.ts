import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';

/** `pg_trigger.tgtype` for BEFORE UPDATE, DELETE and TRUNCATE, once per statement. */
const GUARD_TYPE = 2 + 8 + 16 + 32;

/** Must match the trigger function in the migration. */
const GUARD_BODY = `BEGIN
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP
    USING ERRCODE = 'insufficient_privilege';
END`;

/**
 * Finds tables whose append-only trigger is missing, disabled or runs another function. Reads the catalogue instead of
 * trying a write: the panel's role cannot change these tables, with or without a trigger.
 */
export async function findUnguardedTables(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT required.name
    FROM (SELECT name, to_regclass(name) AS oid
          FROM unnest(ARRAY['audit_log', 'audit_chain', 'audit_checkpoints']) AS name
          UNION ALL
          SELECT c.relname::text, c.oid FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
          WHERE inhparent = to_regclass('audit_log')) required
    WHERE NOT EXISTS (
      SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
      WHERE t.tgrelid = required.oid AND t.tgfoid = to_regproc('refuse_audit_change')
        AND btrim(p.prosrc, E' \\n') = ${GUARD_BODY}
        AND t.tgtype = ${GUARD_TYPE} AND t.tgenabled = 'A'
        AND t.tgqual IS NULL AND cardinality(t.tgattr::int2[]) = 0)`.execute(db);
  return rows.map(({ name }) => name);
}
