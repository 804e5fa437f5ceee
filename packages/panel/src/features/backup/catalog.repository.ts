import type pg from 'pg';

/** What PostgreSQL knows about the tables of Steward. */

type Querier = Pick<pg.ClientBase, 'query'>;

export type TableColumns = { name: string; columns: string[] };
export type Partition = { name: string; table: string; bound: string };
export type SequenceValue = { name: string; value: number | null };

/** Only what the owner of the audit log owns: other programs may have tables in the same schema. */
const OWN_RELATIONS = `relnamespace = current_schema()::regnamespace
  AND relowner = (SELECT relowner FROM pg_class WHERE oid = 'audit_log'::regclass)`;

/** Returns null if the database has no migrations. */
export async function listAppliedMigrations(client: Querier): Promise<string[] | null> {
  const { rows } = await client.query(
    "SELECT to_regclass(format('%I.kysely_migration', current_schema())) IS NOT NULL AS exists",
  );
  if (!rows[0].exists) return null;
  const applied = await client.query('SELECT name FROM kysely_migration ORDER BY name COLLATE "C"');
  return applied.rows.map(({ name }) => name);
}

/** Lists tables, without their partitions. */
export async function listTables(client: Querier): Promise<TableColumns[]> {
  const { rows } = await client.query(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       AND a.attgenerated = ''
     WHERE ${OWN_RELATIONS} AND relkind IN ('r', 'p') AND NOT relispartition
     GROUP BY c.relname ORDER BY c.relname`,
  );
  return rows;
}

export async function listPartitions(client: Querier): Promise<Partition[]> {
  const { rows } = await client.query(
    `SELECT c.relname AS name, parent.relname AS "table",
       pg_get_expr(c.relpartbound, c.oid) AS bound
     FROM (SELECT * FROM pg_class WHERE ${OWN_RELATIONS}) c
     JOIN pg_inherits ON inhrelid = c.oid JOIN pg_class parent ON parent.oid = inhparent
     WHERE c.relkind IN ('r', 'p') AND c.relispartition
     ORDER BY c.relname`,
  );
  return rows;
}

/** `value` is null if the role of the panel may not read it, as for the sequence of the audit log. */
export async function listSequences(client: Querier): Promise<SequenceValue[]> {
  const { rows } = await client.query(
    `SELECT relname AS name, CASE WHEN has_sequence_privilege(oid, 'USAGE, SELECT')
       THEN pg_sequence_last_value(oid) END AS value
     FROM pg_class WHERE ${OWN_RELATIONS} AND relkind = 'S' ORDER BY relname`,
  );
  return rows.map(({ name, value }) => ({ name, value: value === null ? null : Number(value) }));
}

export type OwnedSequence = { sequence: string; table: string; column: string };

/** Lists the sequences that generate ids, with the columns of these ids. */
export async function listIdSequences(client: Querier): Promise<OwnedSequence[]> {
  const { rows } = await client.query(
    `SELECT s.relname AS sequence, t.relname AS "table", a.attname AS "column"
     FROM pg_depend d
     JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
     JOIN pg_class t ON t.oid = d.refobjid
     JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
     WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
       AND d.deptype IN ('a', 'i') AND s.relnamespace = current_schema()::regnamespace
       AND t.relowner = (SELECT relowner FROM pg_class WHERE oid = 'audit_log'::regclass)`,
  );
  return rows;
}

export type ForeignKey = { table: string; name: string; definition: string };

export async function listForeignKeys(client: Querier): Promise<ForeignKey[]> {
  const { rows } = await client.query(
    `SELECT c.relname AS "table", k.conname AS name, pg_get_constraintdef(k.oid) AS definition
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
     WHERE ${OWN_RELATIONS} AND k.contype = 'f' AND k.conparentid = 0
     ORDER BY c.relname, k.conname`,
  );
  return rows;
}

/** `mode`: O fires unless the setting `session_replication_role` is `replica`, R only if it is, A always, D never. */
export type Trigger = { table: string; name: string; mode: 'O' | 'A' | 'R' | 'D' };

export async function listTriggers(client: Querier): Promise<Trigger[]> {
  const { rows } = await client.query(
    `SELECT c.relname AS "table", t.tgname AS name, t.tgenabled AS mode
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE ${OWN_RELATIONS} AND NOT t.tgisinternal
     ORDER BY c.relispartition, c.relname, t.tgname`,
  );
  return rows;
}

export type CreatedObjects = Record<'tables' | 'sequences' | 'functions' | 'collations', string[]>;

/** Lists what the migrations created in a schema, without partitions and the sequences of id columns. */
export async function listObjects(client: Querier, schema: string): Promise<CreatedObjects> {
  const { rows } = await client.query(
    `SELECT 'tables' AS kind, relname::text AS name FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
     UNION ALL
     SELECT 'sequences', relname::text FROM pg_class s
     WHERE relnamespace = $1::regnamespace AND relkind = 'S' AND NOT EXISTS (
       SELECT FROM pg_depend WHERE objid = s.oid AND classid = 'pg_class'::regclass AND deptype IN ('a', 'i'))
     UNION ALL
     SELECT 'functions', format('%I(%s)', proname, pg_get_function_identity_arguments(p.oid))
     FROM pg_proc p WHERE pronamespace = $1::regnamespace AND NOT EXISTS (
       SELECT FROM pg_depend WHERE objid = p.oid AND classid = 'pg_proc'::regclass AND deptype = 'e')
     UNION ALL
     SELECT 'collations', collname::text FROM pg_collation WHERE collnamespace = $1::regnamespace`,
    [schema],
  );
  const namesOf = (kind: string) => rows.filter((row) => row.kind === kind).map(({ name }) => name);
  return {
    tables: namesOf('tables'),
    sequences: namesOf('sequences'),
    functions: namesOf('functions'),
    collations: namesOf('collations'),
  };
}
