import { sql } from 'kysely';
import pg from 'pg';
import type { OwnedDatabase } from '../../platform/database/connect.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import {
  LOCK_TIMEOUT_MS,
  MIGRATION_LOCK,
  retryWhileLocked,
} from '../../platform/database/migrate.ts';

/**
 * The audit log has one partition per month, in UTC: docs/decisions/0034-audit-partitions.md. Only the owner of the
 * tables can create partitions. Records of other months go to the default partition, so an insert never fails for lack
 * of a partition.
 */
export type AuditPartition = {
  name: string;
  /** Inclusive. Null: the first partition has no lower bound. */
  from: Date | null;
  /** Exclusive. */
  to: Date;
};

type NewPartition = { name: string; from: Date; to: Date };

export const MONTHS_AHEAD = 6;
/** With fewer months ahead, a process with the rights of the owner creates the next ones. */
const MONTHS_AHEAD_MIN = 3;
/** About 20 seconds. A backup may hold its locks for longer, but a panel must not wait that long for its start. */
const LOCK_ATTEMPTS = 10;

export type AddedPartitions = {
  created: string[];
  /** Why no partitions were created. Null: no problem. */
  problem: string | null;
};

/**
 * Creates partitions for the next months. Never throws for missing rights or a lock: the panel works without these
 * partitions. Connects as the owner of the tables only if partitions are missing.
 */
export async function addAuditPartitions(
  database: Pick<OwnedDatabase, 'db' | 'openAsOwner'>,
  now: Date,
  minMonthsAhead = MONTHS_AHEAD_MIN,
): Promise<AddedPartitions> {
  const ahead = countMonthsAhead(await listAuditPartitions(database.db), now);
  if (ahead >= minMonthsAhead) return { created: [], problem: null };
  try {
    const owner = await database.openAsOwner();
    try {
      return { created: await createPartitionsAhead(owner.db, now), problem: null };
    } finally {
      await owner.close();
    }
  } catch (error) {
    return { created: [], problem: (error as Error).message };
  }
}

/** The owner of the tables calls this. Several processes may call it at once. */
export async function createPartitionsAhead(owner: Database, now: Date): Promise<string[]> {
  const create = (locksLog: boolean) =>
    retryWhileLocked(() => tryCreate(owner, now, locksLog), LOCK_ATTEMPTS);
  return (await create(false)) ?? (await create(true)) ?? [];
}

/** Returns null if the log must be locked first, because the default partition may have records of these months. */
function tryCreate(owner: Database, now: Date, locksLog: boolean): Promise<string[] | null> {
  return owner.transaction().execute(async (trx) => {
    await lockPartitions(trx);
    // A writer that has already chosen the default partition would fail, and a reader would miss the moved records. So
    // both must finish before, or start after. This table lock is the first one, so that it cannot deadlock with a writer.
    if (locksLog) await sql`LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE`.execute(trx);
    const planned = planPartitions(await listAuditPartitions(trx), now);
    if (!locksLog && planned.length > 0 && (await usesDefault(trx, planned, now))) return null;
    for (const partition of planned) {
      await createTable(trx, partition.name);
      if (locksLog) await moveRecords(trx, partition);
      await attach(trx, partition.name, formatBound(partition));
    }
    return planned.map(({ name }) => name);
  });
}

/** Whether records of the months are in the default partition, or can arrive there at any time. */
async function usesDefault(trx: Trx, planned: NewPartition[], now: Date): Promise<boolean> {
  const [from, to] = [planned[0]?.from ?? now, planned.at(-1)?.to ?? now];
  if (from <= now) return true;
  // Without the lock, a record could arrive between this check and the attachment.
  await sql`LOCK TABLE audit_log_default IN ACCESS EXCLUSIVE MODE`.execute(trx);
  const { rows } = await sql<{ has_records: boolean }>`
    SELECT EXISTS (SELECT FROM audit_log_default WHERE at >= ${from} AND at < ${to}) AS has_records
  `.execute(trx);
  return rows[0]?.has_records ?? false;
}

/** Until the transaction ends, no other process migrates, creates or detaches partitions. */
export async function lockPartitions(trx: Trx): Promise<void> {
  await sql`SET LOCAL statement_timeout = 0`.execute(trx);
  await sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})
            FROM set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`.execute(trx);
}

/** Lists the partitions without the default one, oldest first. */
export async function listAuditPartitions(db: Database): Promise<AuditPartition[]> {
  const { rows } = await sql<AuditPartition>`
    SELECT name, (regexp_match(bound, $$FROM \\('([^']+)'\\)$$))[1]::timestamptz AS "from",
           (regexp_match(bound, $$TO \\('([^']+)'\\)$$))[1]::timestamptz AS "to"
    FROM (SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
          FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
          WHERE inhparent = to_regclass('audit_log')) partitions
    WHERE bound <> 'DEFAULT' ORDER BY "to"`.execute(db);
  return rows;
}

/** Counts the months after the current one that have a partition. */
export function countMonthsAhead(partitions: AuditPartition[], now: Date): number {
  const end = partitions.at(-1)?.to;
  if (!end) return 0;
  const months = (time: Date) => time.getUTCFullYear() * 12 + time.getUTCMonth();
  return Math.max(0, months(end) - months(now) - 1);
}

export const startOfMonth = (time: Date, monthsLater = 0) =>
  new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + monthsLater));

/** `2026-05` */
export const formatMonth = (time: Date) => time.toISOString().slice(0, 7);

/**
 * The months from the end of the last partition on. If no partitions were added for more than half a year, these are
 * also past months.
 */
function planPartitions(partitions: AuditPartition[], now: Date): NewPartition[] {
  const planned: NewPartition[] = [];
  const end = startOfMonth(now, MONTHS_AHEAD + 1);
  for (let from = partitions.at(-1)?.to ?? startOfMonth(now); from < end; ) {
    const to = startOfMonth(from, 1);
    planned.push({ name: `audit_log_${formatMonth(from).replace('-', '_')}`, from, to });
    from = to;
  }
  return planned;
}

/** Moves the records of a month from the default partition to the table of its new partition. */
async function moveRecords(trx: Trx, { name, from, to }: NewPartition): Promise<void> {
  await sql`ALTER TABLE audit_log_default DISABLE TRIGGER audit_log_append_only`.execute(trx);
  await sql`WITH moved AS (
      DELETE FROM audit_log_default WHERE at >= ${from} AND at < ${to} RETURNING *
    ) INSERT INTO ${sql.id(name)} SELECT * FROM moved`.execute(trx);
  await sql`ALTER TABLE audit_log_default ENABLE ALWAYS TRIGGER audit_log_append_only`.execute(trx);
}

type BoundPartition = { name: string; bound: string };

/** Gives an empty log the partitions of a backup. */
export async function replacePartitions(trx: Trx, partitions: BoundPartition[]): Promise<void> {
  const { rows: existing } = await sql<BoundPartition>`
    SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
    FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
    WHERE inhparent = to_regclass('audit_log')`.execute(trx);
  if (describe(existing) === describe(partitions)) return;
  for (const { name } of existing) await sql`DROP TABLE ${sql.id(name)}`.execute(trx);
  for (const { name, bound } of partitions) {
    await createTable(trx, name);
    await attach(trx, name, bound);
  }
}

const describe = (partitions: BoundPartition[]) =>
  partitions
    .map(({ name, bound }) => `${name} ${bound}`)
    .toSorted()
    .join();

async function createTable(trx: Trx, name: string): Promise<void> {
  const [table, key] = [pg.escapeIdentifier(name), pg.escapeIdentifier(`${name}_pkey`)];
  await sql
    .raw(
      `CREATE TABLE ${table} (LIKE audit_log INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
         CONSTRAINT ${key} PRIMARY KEY (id));
       CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
         FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
       ALTER TABLE ${table} ENABLE ALWAYS TRIGGER audit_log_append_only`,
    )
    .execute(trx);
}

/** Unlike CREATE TABLE … PARTITION OF, ATTACH locks only the new and the default partition, not the whole log. */
async function attach(trx: Trx, name: string, bound: string): Promise<void> {
  const table = pg.escapeIdentifier(name);
  await sql.raw(`ALTER TABLE audit_log ATTACH PARTITION ${table} ${bound}`).execute(trx);
}

const formatBound = ({ from, to }: NewPartition) =>
  `FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}')`;
