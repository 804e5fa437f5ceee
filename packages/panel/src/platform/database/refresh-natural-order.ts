import { sql } from 'kysely';
import type { Database } from './handles.ts';
import { MIGRATION_LOCK } from './migrate.ts';

const NATURAL_ORDER = sql`SELECT oid FROM pg_collation
  WHERE collname = 'natural_order' AND collnamespace = current_schema()::regnamespace`;

/** Whether the indexes of names were built with another version of ICU: an index in another order misses rows. */
export async function isNaturalOrderOutdated(db: Database): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM pg_collation WHERE oid IN (${NATURAL_ORDER})
      AND collversion IS DISTINCT FROM pg_collation_actual_version(oid)`.execute(db);
  return rows.length > 0;
}

/** Builds the indexes of names again. Requests for these tables wait meanwhile. */
export async function refreshNaturalOrder(owner: Database): Promise<void> {
  await owner.transaction().execute(async (trx) => {
    // Only one process builds them.
    await sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(trx);
    if (!(await isNaturalOrderOutdated(trx))) return;
    await sql`DO $$
      DECLARE index_of_names regclass;
      BEGIN
        FOR index_of_names IN SELECT DISTINCT objid::regclass FROM pg_depend
          JOIN pg_class c ON c.oid = objid AND c.relkind = 'i'
          WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_collation'::regclass
            AND refobjid IN (${NATURAL_ORDER})
        LOOP EXECUTE 'REINDEX INDEX ' || index_of_names; END LOOP;
        ALTER COLLATION natural_order REFRESH VERSION;
      END $$`.execute(trx);
  });
}
