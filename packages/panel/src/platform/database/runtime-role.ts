import { sql } from 'kysely';
import type { Database } from './handles.ts';

/**
 * The panel connects as a role that owns nothing. In the audit log, this role can only read and append:
 * docs/decisions/0017-audit-head-and-roles.md.
 */

/** Selects the tables of Steward by owner, because other programs may have tables in the same schema. */
const TABLE_OWNER = sql`(SELECT relowner FROM pg_class WHERE oid = 'audit_log'::regclass)`;

const GRANTS_LOCK = 0x57e3a80;

export async function readCurrentRole(db: Database): Promise<string> {
  const { rows } = await sql<{ role: string }>`SELECT current_user AS role`.execute(db);
  return rows[0]?.role ?? '';
}

/** Whether this role can change the audit log, because it owns the log or is a member of the owner. */
export async function ownsAuditLog(db: Database): Promise<boolean> {
  const { rows } = await sql<{ may_own: boolean | null }>`
    SELECT pg_has_role(current_user, relowner, 'MEMBER') AS may_own
    FROM pg_class WHERE oid = to_regclass('audit_log')`.execute(db);
  return rows[0]?.may_own ?? false;
}

/**
 * Whether `grantToRuntime` has run for this role: checks one right of each table, and that the audit log is
 * append-only.
 */
export async function hasRuntimeRights(db: Database): Promise<boolean> {
  const { rows } = await sql<{ has_rights: boolean | null }>`
    SELECT has_function_privilege('remove_sealed_marks(bigint[])', 'EXECUTE')
      AND bool_and(CASE
        WHEN oid = to_regclass('audit_checkpoints')
          THEN has_table_privilege(oid, 'SELECT')
            AND NOT has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
        WHEN relname LIKE 'audit%' AND relnamespace = current_schema()::regnamespace
          THEN has_table_privilege(oid, 'INSERT')
            AND NOT has_table_privilege(oid, 'UPDATE, DELETE, TRUNCATE')
        WHEN relname LIKE 'kysely%' THEN has_table_privilege(oid, 'SELECT')
        ELSE has_table_privilege(oid, 'DELETE') END) AS has_rights
    FROM pg_class
    WHERE relnamespace IN (current_schema()::regnamespace, 'pgboss'::regnamespace)
      AND relkind IN ('r', 'p') AND NOT (relispartition AND relname LIKE 'audit%')
      AND relowner = ${TABLE_OWNER}`.execute(db);
  return rows[0]?.has_rights ?? false;
}

/** Grants the runtime rights. The owner of the tables runs this after each migration, to cover new tables. */
export async function grantToRuntime(owner: Database, role: string): Promise<void> {
  await owner.transaction().execute(async (trx) => {
    // Without the lock, concurrent grants fail with "tuple concurrently updated".
    await sql`SELECT pg_advisory_xact_lock(${GRANTS_LOCK})`.execute(trx);
    await sql`SELECT set_config('steward.runtime_role', ${role}, true)`.execute(trx);
    await sql`
      DO $$
      DECLARE
        runtime text := current_setting('steward.runtime_role');
        here text := current_schema();
        item record;
      BEGIN
        EXECUTE format('GRANT USAGE ON SCHEMA %I, pgboss TO %I', here, runtime);
        FOR item IN
          SELECT oid::regclass AS name, relkind, relispartition,
                 relnamespace = here::regnamespace AND relname LIKE 'audit%' AS is_audit,
                 relnamespace = here::regnamespace AND relname LIKE 'kysely%' AS is_migration
          FROM pg_class
          WHERE relnamespace IN (here::regnamespace, 'pgboss'::regnamespace)
            AND relkind IN ('r', 'p', 'S') AND relowner = ${TABLE_OWNER}
        LOOP
          EXECUTE format('REVOKE ALL ON %s FROM %I', item.name, runtime);
          -- An identity column needs no right on its sequence, so the audit log's sequence gets no grant. The rights
          -- on the partitioned audit log are sufficient: they also cover partitions that are created later.
          CONTINUE WHEN item.is_audit AND (item.relispartition OR item.relkind = 'S');
          EXECUTE format('GRANT %s ON %s TO %I',
            CASE WHEN item.relkind = 'S' THEN 'USAGE'
                 -- Only the owner detaches records.
                 WHEN item.name = to_regclass('audit_checkpoints') THEN 'SELECT'
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
