import { roleMay, type SiteForRing } from '@steward/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { findActiveUser } from '../access-tokens/index.ts';
import { type CurrentUser, isCreatedBy, isVisibleTo } from '../site-access/index.ts';
import { tables } from './database.ts';
import type { RolloutTables } from './tables.ts';

/** Announces new and changed rollouts to the processes that advance them. */
export const ROLLOUT_CHANNEL = 'steward_rollouts';

export type RolloutRow = Selectable<RolloutTables['rollouts']>;
export type RingRow = Selectable<RolloutTables['rollout_rings']>;

export async function insertRollout(
  trx: Trx,
  { items, ...rollout }: Insertable<RolloutTables['rollouts']>,
  rings: Omit<Insertable<RolloutTables['rollout_rings']>, 'rollout_id'>[],
  sites: { site_id: number; ring: number }[],
): Promise<number> {
  const { id } = await tables(trx)
    .insertInto('rollouts')
    // The driver would turn an array into a PostgreSQL array.
    .values({ ...rollout, items: sql`${JSON.stringify(items)}::jsonb` })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tables(trx)
    .insertInto('rollout_rings')
    .values(rings.map((ring) => ({ ...ring, rollout_id: id })))
    .execute();
  await sql`INSERT INTO rollout_sites (rollout_id, site_id, ring)
    SELECT ${id}, * FROM unnest(${sites.map(({ site_id }) => site_id)}::bigint[],
      ${sites.map(({ ring }) => ring)}::int[])`.execute(trx);
  await announceChange(trx, id);
  return id;
}

export async function announceChange(trx: Trx, id: number): Promise<void> {
  await sql`SELECT pg_notify(${ROLLOUT_CHANNEL}, ${String(id)})`.execute(trx);
}

/** Reads the tags and the server of each site that the user may see, for the choice of rings. */
export async function readSitesForRings(
  db: Database,
  user: CurrentUser,
  siteIds: number[],
): Promise<SiteForRing[]> {
  const { rows } = await sql<SiteForRing>`
    SELECT s.id, s.address AS server,
      ARRAY(SELECT t.name FROM site_tags st JOIN tags t ON t.id = st.tag_id
        WHERE st.site_id = s.id AND t.client_id IS NULL) AS tags
    FROM sites s WHERE s.id = ANY(${siteIds}::bigint[]) AND ${isVisibleTo(user, 's')}`.execute(db);
  return rows;
}

/** Every transaction that changes a rollout or adds a run to it locks the rollout first, and its runs afterwards. */
export function lockRollout(trx: Trx, id: number): Promise<RolloutRow | undefined> {
  return tables(trx)
    .selectFrom('rollouts')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export type RunOfRing = Awaited<ReturnType<typeof readRunsOfRing>>[number];

/** While the rollout is locked, no worker saves a result of its runs, and it gets no further run. */
export function readRunsOfRing(trx: Trx, rolloutId: number, ring: number) {
  return tables(trx)
    .selectFrom('runs')
    .select(['id', 'finished_at', 'cancelled_at'])
    .where('rollout_id', '=', rolloutId)
    .where('ring', '=', ring)
    .execute();
}

export async function listActiveRollouts(db: Database): Promise<number[]> {
  const active = tables(db)
    .selectFrom('rollouts')
    .select('id')
    .where('status', 'in', ['running', 'soaking']);
  return (await active.orderBy('id').execute()).map(({ id }) => id);
}

export function readRings(db: Database, rolloutIds: number[]): Promise<RingRow[]> {
  return tables(db)
    .selectFrom('rollout_rings')
    .selectAll()
    .where('rollout_id', '=', sql<number>`ANY(${rolloutIds}::bigint[])`)
    .orderBy('position')
    .execute();
}

export async function updateRollout(
  trx: Trx,
  id: number,
  change: Updateable<RolloutTables['rollouts']>,
): Promise<void> {
  await tables(trx).updateTable('rollouts').set(change).where('id', '=', id).execute();
}

export async function updateRing(
  trx: Trx,
  { rollout_id, position }: Pick<RingRow, 'rollout_id' | 'position'>,
  change: Updateable<RolloutTables['rollout_rings']>,
): Promise<void> {
  await tables(trx)
    .updateTable('rollout_rings')
    .set(change)
    .where('rollout_id', '=', rollout_id)
    .where('position', '=', position)
    .execute();
}

/** Returns whether the user of the rollout may still update sites. */
export async function userMayUpdate(
  trx: Trx,
  { created_by }: Pick<RolloutRow, 'created_by'>,
  now: Date,
): Promise<boolean> {
  const user = await findActiveUser(trx, created_by, now);
  return user !== null && roleMay(user.role, 'sites.act');
}

export type ListedRollout = RolloutRow & { created_by_name: string | null };

/** Owners see the rollouts of all users; other users see their own. */
export function selectRollouts(db: Database, user: { id: number; role: string }) {
  return tables(db)
    .selectFrom('rollouts')
    .leftJoin('users', 'users.id', 'rollouts.created_by')
    .selectAll('rollouts')
    .select('users.name as created_by_name')
    .$if(user.role !== 'owner', (query) => query.where(isCreatedBy(user, 'rollouts.created_by')));
}
