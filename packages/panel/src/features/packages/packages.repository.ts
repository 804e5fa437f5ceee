import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Tables, Trx } from '../../platform/database/tables.ts';

export type PackageRow = Selectable<Tables['packages']>;

/** Returns the new row; undefined if the panel has stored the same file before. */
export function insertPackage(
  trx: Trx,
  row: Insertable<Tables['packages']>,
): Promise<PackageRow | undefined> {
  return trx
    .insertInto('packages')
    .values(row)
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export function touchByHash(trx: Trx, sha256: string, now: Date): Promise<PackageRow | undefined> {
  return trx
    .updateTable('packages')
    .set({ used_at: now })
    .where('sha256', '=', sha256)
    .returningAll()
    .executeTakeFirst();
}

export async function insertChunk(
  trx: Trx,
  chunk: Insertable<Tables['package_chunks']>,
): Promise<void> {
  await trx.insertInto('package_chunks').values(chunk).execute();
}

export async function readChunk(
  db: Database,
  packageId: number,
  position: number,
): Promise<Buffer | null> {
  const row = await db
    .selectFrom('package_chunks')
    .select('bytes')
    .where('package_id', '=', packageId)
    .where('position', '=', position)
    .executeTakeFirst();
  return row?.bytes ?? null;
}

export function listPackages(db: Database, limit: number): Promise<PackageRow[]> {
  return db.selectFrom('packages').selectAll().orderBy('id', 'desc').limit(limit).execute();
}

/** Finds packages and updates `used_at`, so that the cleanup keeps packages in use. */
export async function findAndTouch(db: Database, ids: number[], now: Date): Promise<PackageRow[]> {
  const isWanted = sql<boolean>`id = ANY(${ids}::bigint[])`;
  // Once an hour is enough. A run on ten thousand sites would otherwise write the row ten thousand times.
  await db
    .updateTable('packages')
    .set({ used_at: now })
    .where(isWanted)
    .where('used_at', '<', new Date(now.getTime() - TOUCH_INTERVAL_MS))
    .execute();
  return db.selectFrom('packages').selectAll().where(isWanted).execute();
}

const TOUCH_INTERVAL_MS = 60 * 60_000;

export async function deletePackagesUnusedSince(db: Database, time: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('packages')
    .where('used_at', '<', time)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
