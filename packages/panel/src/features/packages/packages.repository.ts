import type { SoftwareItemQuery } from '@steward/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { findPersonId } from '../accounts/index.ts';
import { type CurrentUser, isCreatedBy } from '../site-access/index.ts';
import { tables } from './database.ts';
import type { PackageTables } from './tables.ts';

export type PackageRow = Selectable<PackageTables['packages']>;

/** Returns the new row; undefined if the panel has stored the same file before. */
export function insertPackage(
  trx: Trx,
  row: Insertable<PackageTables['packages']>,
): Promise<PackageRow | undefined> {
  return tables(trx)
    .insertInto('packages')
    .values(row)
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export function touchByHash(trx: Trx, sha256: string, now: Date): Promise<PackageRow | undefined> {
  return tables(trx)
    .updateTable('packages')
    .set({ used_at: now })
    .where('sha256', '=', sha256)
    .returningAll()
    .executeTakeFirst();
}

export async function insertChunk(
  trx: Trx,
  chunk: Insertable<PackageTables['package_chunks']>,
): Promise<void> {
  await tables(trx).insertInto('package_chunks').values(chunk).execute();
}

export async function readChunk(
  db: Database,
  packageId: number,
  position: number,
): Promise<Buffer | null> {
  const row = await tables(db)
    .selectFrom('package_chunks')
    .select('bytes')
    .where('package_id', '=', packageId)
    .where('position', '=', position)
    .executeTakeFirst();
  return row?.bytes ?? null;
}

/**
 * Selects the packages that the user may use. An owner uses all; another user, or an access token that is limited to
 * sites, uses those that they uploaded. Who else uploaded the same file stays hidden from them.
 */
function selectUsable(db: Database, user: CurrentUser) {
  const packages = tables(db)
    .selectFrom('packages')
    .select(['id', 'sha256', 'size', 'type', 'slug', 'name', 'version', 'requires', 'requires_php'])
    .select('used_at');
  if (user.role === 'owner') return packages.select(['uploaded_by', 'created_at']);
  return packages
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('package_uploads')
          .select(['user_id as uploaded_by', 'uploaded_at as created_at'])
          .whereRef('package_id', '=', 'packages.id')
          .where(isCreatedBy(user, 'user_id'))
          .orderBy('uploaded_at')
          .limit(1)
          .as('own'),
      (join) => join.onTrue(),
    )
    .select(['own.uploaded_by', 'own.created_at']);
}

export function listPackages(
  db: Database,
  user: CurrentUser,
  limit: number,
): Promise<PackageRow[]> {
  return selectUsable(db, user).orderBy('id', 'desc').limit(limit).execute();
}

/** Lists the versions of a plugin or theme of which the user may use a package. */
export async function listPackageVersions(
  db: Database,
  user: CurrentUser,
  { type, slug }: Pick<SoftwareItemQuery, 'type' | 'slug'>,
): Promise<string[]> {
  if (type === 'core') return [];
  const rows = await selectUsable(db, user)
    .where('type', '=', type)
    .where('slug', '=', slug)
    .execute();
  return rows.map(({ version }) => version);
}

/** Finds packages that the user may use, and updates `used_at`, so that the cleanup keeps packages in use. */
export async function findAndTouch(
  db: Database,
  user: CurrentUser,
  ids: number[],
  now: Date,
): Promise<PackageRow[]> {
  const rows = await selectUsable(db, user)
    .where('id', '=', sql<number>`ANY(${ids}::bigint[])`)
    .execute();
  const usable = rows.map(({ id }) => id);
  // Once an hour is enough. A run on ten thousand sites would otherwise write the row ten thousand times.
  await tables(db)
    .updateTable('packages')
    .set({ used_at: now })
    .where('id', '=', sql<number>`ANY(${usable}::bigint[])`)
    .where('used_at', '<', new Date(now.getTime() - TOUCH_INTERVAL_MS))
    .execute();
  return rows;
}

/** Records that the user uploaded the package. A repeated upload keeps the time of the first. */
export async function insertUpload(
  trx: Trx,
  upload: Insertable<PackageTables['package_uploads']>,
): Promise<void> {
  await tables(trx)
    .insertInto('package_uploads')
    .values(upload)
    .onConflict((conflict) => conflict.columns(['package_id', 'user_id']).doNothing())
    .execute();
}

/** Serializes the uploads of a user and of their access tokens until the end of the transaction. Returns the user. */
export async function lockUploads(trx: Trx, userId: number): Promise<number> {
  const creatorId = await findPersonId(trx, userId);
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`packages of user ${creatorId}`}, 0))`.execute(
    trx,
  );
  return creatorId;
}

/** Returns the size of all packages that the user or their access tokens have uploaded. */
export async function sumUploads(trx: Trx, userId: number): Promise<number> {
  const { bytes } = await tables(trx)
    .selectFrom('packages')
    .select(sql<number>`coalesce(sum(size), 0)::bigint`.as('bytes'))
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('package_uploads')
        .select('package_id')
        .where(isCreatedBy({ id: userId }, 'user_id')),
    )
    .executeTakeFirstOrThrow();
  return bytes;
}

const TOUCH_INTERVAL_MS = 60 * 60_000;

export async function deletePackagesUnusedSince(db: Database, time: Date): Promise<number> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom('packages')
    .where('used_at', '<', time)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
