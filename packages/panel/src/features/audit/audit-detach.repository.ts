import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { retryWhileLocked } from '../../platform/database/migrate.ts';
import { lockPartitions } from './audit-partitions.ts';
import type { DetachCheckpoint } from './detached-records.ts';

/** Detached tables keep their rows and triggers here. Steward never drops them. */
export const DETACHED_SCHEMA = 'steward_detached';

const INSUFFICIENT_PRIVILEGE = '42501';
const LOCK_NOT_AVAILABLE = '55P03';

const DETACH_LOCK = 0x57e3a86;
/** About 6 seconds. */
const LOCK_ATTEMPTS = 4;

/** Two commands with the same file must not mix their exports. A killed process loses the lock with its connection. */
export function withDetachLock<T>(owner: Database, work: () => Promise<T>): Promise<T> {
  return owner.connection().execute(async (connection) => {
    const { rows } = await sql<{ is_locked: boolean }>`
      SELECT pg_try_advisory_lock(${DETACH_LOCK}) AS is_locked`.execute(connection);
    if (!rows[0]?.is_locked) {
      throw new Error(
        'Another process is detaching audit records. Run the command again when it has ended.',
      );
    }
    try {
      return await work();
    } finally {
      await sql`SELECT pg_advisory_unlock(${DETACH_LOCK})`.execute(connection);
    }
  });
}

/** Counts through the partitioned table: the role of the panel has no rights on partitions. */
export async function countRecords(db: Database, partitions: string[], before: Date) {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM audit_log
    WHERE at < ${before} AND tableoid = ANY(${partitions}::text[]::regclass[])`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Detaches the partitions and writes the checkpoint in one transaction: a checkpoint without a detachment would allow an
 * attacker to delete its records. `finish` runs in the same transaction.
 */
export async function detachPartitions(
  owner: Database,
  checkpoint: DetachCheckpoint,
  finish: (trx: Trx) => Promise<void>,
): Promise<void> {
  const detach = () =>
    owner.transaction().execute(async (trx) => {
      await lockPartitions(trx);
      await assertUnchanged(trx, checkpoint);
      // Requests wait from here on. A writer of an old month and this transaction could wait for each other: the lock
      // timeout is shorter than the deadlock timeout, so the writer succeeds.
      await sql`LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE`.execute(trx);
      await createSchema(trx);
      for (const name of checkpoint.partitions) {
        await sql`ALTER TABLE audit_log DETACH PARTITION ${sql.id(name)}`.execute(trx);
        await sql`ALTER TABLE ${sql.id(name)} SET SCHEMA ${sql.id(DETACHED_SCHEMA)}`.execute(trx);
      }
      await finish(trx);
    });
  try {
    await retryWhileLocked(detach, LOCK_ATTEMPTS);
  } catch (error) {
    throw explain(error as Error & { code?: string });
  }
}

/** Counting reads whole tables, so only writers of the old months wait for it. */
async function assertUnchanged(trx: Trx, checkpoint: DetachCheckpoint): Promise<void> {
  const { partitions, records, before, positions, hash } = checkpoint;
  const tables = sql.join(partitions.map((name) => sql.id(name)));
  await sql`LOCK TABLE ${tables} IN SHARE MODE`.execute(trx);
  if ((await countRecords(trx, partitions, new Date(before))) !== records) {
    throw new Error(
      'New records of these months were written after the export. Run the command again with another file.',
    );
  }
  const { rows } = await sql<{ hash: string }>`
    SELECT encode(hash, 'hex') AS hash FROM audit_chain
    WHERE seq = ${positions.at(-1)?.[1] ?? 0}`.execute(trx);
  if (rows[0]?.hash === hash) return;
  throw new Error(
    'The export does not match the hash chain of this database, so nothing was detached. Run the command again with another file.',
  );
}

/** IF NOT EXISTS would need the right to create schemas also when the schema exists. */
async function createSchema(trx: Trx): Promise<void> {
  const { rows } = await sql<{ exists: boolean }>`
    SELECT to_regnamespace(${DETACHED_SCHEMA}) IS NOT NULL AS exists`.execute(trx);
  if (!rows[0]?.exists) await sql`CREATE SCHEMA ${sql.id(DETACHED_SCHEMA)}`.execute(trx);
}

function explain(error: Error & { code?: string }): Error {
  const sentences: Record<string, string> = {
    [INSUFFICIENT_PRIVILEGE]: `Detaching needs the role that owns the tables. Set MIGRATION_DATABASE_URL to it, and run the command again. It continues with the export (${error.message}).`,
    [LOCK_NOT_AVAILABLE]:
      'Another transaction uses the audit log, such as a backup. Run the command again later. It continues with the export.',
  };
  const sentence = sentences[error.code ?? ''];
  return sentence ? new Error(sentence, { cause: error }) : error;
}
