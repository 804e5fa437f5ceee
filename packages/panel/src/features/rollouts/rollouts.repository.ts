import { type RolloutItem, roleMay, type SiteForRing } from '@steward/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { findActiveUser } from '../access-tokens/index.ts';
import { type CurrentUser, isCreatedBy, isVisibleTo } from '../site-access/index.ts';
import { tables } from './database.ts';
import type { RolloutTables, StoredProofException } from './tables.ts';

/** Announces new and changed rollouts to the processes that advance them. */
export const ROLLOUT_CHANNEL = 'steward_rollouts';

export type RolloutRow = Selectable<RolloutTables['rollouts']>;
export type RingRow = Selectable<RolloutTables['rollout_rings']>;

type NewRollout = Omit<Insertable<RolloutTables['rollouts']>, 'proof_exceptions'> & {
  proof_exceptions?: StoredProofException[];
};

/** The driver would turn an array into a PostgreSQL array. */
const toJson = <T>(value: T) => sql<T>`${JSON.stringify(value)}::jsonb`;

/** Inserts a rollout without its rings and sites. */
export async function insertRolloutRow(
  trx: Trx,
  { items, proof_exceptions = [], ...rollout }: NewRollout,
): Promise<number> {
  const { id } = await tables(trx)
    .insertInto('rollouts')
    .values({ ...rollout, items: toJson(items), proof_exceptions: toJson(proof_exceptions) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function insertRollout(
  trx: Trx,
  rollout: NewRollout,
  rings: Omit<Insertable<RolloutTables['rollout_rings']>, 'rollout_id'>[],
  sites: { site_id: number; ring: number }[],
): Promise<number> {
  const id = await insertRolloutRow(trx, rollout);
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

/**
 * Reads the runs of a ring, also those of the rollouts from which this one was split after that ring. While the rollout is
 * locked, no worker saves a result of these runs, and it gets no further run.
 */
export function readRunsOfRing(trx: Trx, rolloutId: number, ring: number) {
  return tables(trx)
    .selectFrom('runs')
    .select(['id', 'finished_at', 'cancelled_at'])
    .where(
      'rollout_id',
      '=',
      sql<number>`ANY(ARRAY(SELECT ${rolloutId}::bigint UNION ALL SELECT sp.split_from FROM rollout_splits sp
        WHERE sp.rollout_id = ${rolloutId} AND sp.ring >= ${ring}))`,
    )
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

/** Lists the items of the rollouts of a schedule that wait for proof. */
export async function listWaitingForProof(
  db: Database,
  scheduleId: number,
): Promise<RolloutItem[]> {
  const rows = await tables(db)
    .selectFrom('rollouts')
    .select('items')
    .where('schedule_id', '=', scheduleId)
    .where('status', '=', 'halted')
    .where('halt_code', '=', 'waits_for_proof')
    .execute();
  return rows.flatMap(({ items }) => items);
}

export function readRings(db: Database, rolloutIds: number[]): Promise<RingRow[]> {
  return tables(db)
    .selectFrom('rollout_rings')
    .selectAll()
    .where('rollout_id', '=', sql<number>`ANY(${rolloutIds}::bigint[])`)
    .orderBy('position')
    .execute();
}

type RolloutChange = Omit<Updateable<RolloutTables['rollouts']>, 'items' | 'proof_exceptions'> & {
  items?: RolloutItem[];
  proof_exceptions?: StoredProofException[];
};

export async function updateRollout(
  trx: Trx,
  id: number,
  { items, proof_exceptions, ...change }: RolloutChange,
): Promise<void> {
  await tables(trx)
    .updateTable('rollouts')
    .set({
      ...change,
      ...(items && { items: toJson(items) }),
      ...(proof_exceptions && { proof_exceptions: toJson(proof_exceptions) }),
    })
    .where('id', '=', id)
    .execute();
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
