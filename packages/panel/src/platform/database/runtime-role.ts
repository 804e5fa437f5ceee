import { sql } from 'kysely';
import type { Database } from './tables.ts';

/**
 * The panel signs in as a role that owns nothing. It may read and write all tables, but of the audit log it can only
 * read and add: docs/decisions/0017-audit-head-and-roles.md.
 */

/** Other programs may have tables in the same schema. */
const OWNER_OF_TABLES = sql`(SELECT relowner FROM pg_class WHERE oid = 'audit_log'::regclass)`;

const GRANTS_LOCK = 0x57e3a80;

export async function currentRole(db: Database): Promise<string> {
  const { rows } = await sql<{ role: string }>`SELECT current_user AS role`.execute(db);
  return rows[0]?.role ?? '';
}

/** Whether the role of this connection could change the audit log, as its owner or through its owner. */
export async function mayOwnAuditLog(db: Database): Promise<boolean> {
  const { rows } = await sql<{ may_own: boolean | null }>`
    SELECT pg_has_role(current_user, relowner, 'MEMBER') AS may_own
    FROM pg_class WHERE oid = to_regclass('audit_log')`.execute(db);
  return rows[0]?.may_own ?? false;
}

/** Whether the role of this connection has all rights that `grantToRuntime` gives, and none that it takes. */
export async function hasRuntimeRights(db: Database): Promise<boolean> {
  const { rows } = await sql<{ is_right: boolean | null }>`
    SELECT has_function_privilege('remove_sealed_marks(bigint[])', 'EXECUTE')
      AND bool_and(CASE
        WHEN relname LIKE 'audit%' AND relnamespace = current_schema()::regnamespace
          THEN has_table_privilege(oid, 'INSERT')
            AND NOT has_table_privilege(oid, 'UPDATE, DELETE, TRUNCATE')
        WHEN relname LIKE 'kysely%' THEN has_table_privilege(oid, 'SELECT')
        ELSE has_table_privilege(oid, 'DELETE') END) AS is_right
    FROM pg_class
    WHERE relnamespace IN (current_schema()::regnamespace, 'pgboss'::regnamespace)
      AND relkind IN ('r', 'p') AND relowner = ${OWNER_OF_TABLES}`.execute(db);
  return rows[0]?.is_right ?? false;
}

/** Run by the owner after each migration, so that new tables are covered as well. */
export async function grantToRuntime(owner: Database, role: string): Promise<void> {
  await owner.transaction().execute(async (trx) => {
    // Two that grant at the same time would fail with "tuple concurrently updated".
    await sql`SELECT pg_advisory_xact_lock(${GRANTS_LOCK})`.execute(trx);
    await sql`SELECT set_config('steward.runtime_role', ${role}, true)`.execute(trx);
    // Other programs may have tables in the same schema: only those of this owner are granted.
    await sql`
      DO $$
      DECLARE
        runtime text := current_setting('steward.runtime_role');
        here text := current_schema();
        item record;
      BEGIN
        EXECUTE format('GRANT USAGE ON SCHEMA %I, pgboss TO %I', here, runtime);
        FOR item IN
          SELECT oid::regclass AS name, relkind,
                 relnamespace = here::regnamespace AND relname LIKE 'audit%' AS is_audit,
                 relnamespace = here::regnamespace AND relname LIKE 'kysely%' AS is_migration
          FROM pg_class
          WHERE relnamespace IN (here::regnamespace, 'pgboss'::regnamespace)
            AND relkind IN ('r', 'p', 'S') AND relowner = ${OWNER_OF_TABLES}
        LOOP
          EXECUTE format('REVOKE ALL ON %s FROM %I', item.name, runtime);
          -- An identity column needs no right on its sequence, so the audit log's stays closed.
          CONTINUE WHEN item.relkind = 'S' AND item.is_audit;
          EXECUTE format('GRANT %s ON %s TO %I',
            CASE WHEN item.relkind = 'S' THEN 'USAGE'
                 WHEN item.is_audit THEN 'SELECT, INSERT'
                 WHEN item.is_migration THEN 'SELECT'
                 ELSE 'SELECT, INSERT, UPDATE, DELETE' END, item.name, runtime);
        END LOOP;
        EXECUTE format('REVOKE EXECUTE ON FUNCTION remove_sealed_marks(bigint[]) FROM PUBLIC');
        EXECUTE format('GRANT EXECUTE ON FUNCTION remove_sealed_marks(bigint[]) TO %I', runtime);
      END
      $$`.execute(trx);
  });
}
