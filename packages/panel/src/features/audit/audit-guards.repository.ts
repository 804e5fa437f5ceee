import { sql } from 'kysely';
import type { Database } from '../../database/tables.ts';

const GUARDED_TABLES = ['audit_log', 'audit_chain'];

/** Before UPDATE, DELETE and TRUNCATE, once for each statement, as `pg_trigger` writes it. */
const GUARD_TYPE = 2 + 8 + 16 + 32;

/** The tables that could be changed at present, because their trigger is gone or switched off. */
export async function findUnguardedTables(db: Database): Promise<string[]> {
  if (!(await isDeleteRefused(db))) return GUARDED_TABLES;
  const { rows } = await sql<{ table_name: string }>`
    SELECT c.relname AS table_name
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.oid IN (to_regclass('audit_log'), to_regclass('audit_chain'))
      AND t.tgfoid = to_regproc('refuse_audit_change')
      AND t.tgtype = ${GUARD_TYPE} AND t.tgenabled = 'A'
      AND t.tgqual IS NULL AND cardinality(t.tgattr::int2[]) = 0`.execute(db);
  const guarded = rows.map((row) => row.table_name);
  return GUARDED_TABLES.filter((table) => !guarded.includes(table));
}

/** By trying: a function of the right name may have been replaced by one that lets all through. */
async function isDeleteRefused(db: Database): Promise<boolean> {
  try {
    await sql`DELETE FROM audit_log WHERE false`.execute(db);
    return false;
  } catch (error) {
    const INSUFFICIENT_PRIVILEGE = '42501';
    if ((error as { code?: string }).code === INSUFFICIENT_PRIVILEGE) return true;
    throw error;
  }
}
