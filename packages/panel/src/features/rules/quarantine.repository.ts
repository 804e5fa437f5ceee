import type { QuarantinedVersion } from '@steward/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';
import type { RuleTables } from './tables.ts';

export type QuarantineRow = Selectable<RuleTables['quarantined_versions']>;

const LIFTED_SHOWN_MAX = 100;

type ListedRow = Omit<QuarantinedVersion, 'created_at' | 'lifted_at'> & {
  created_at: Date;
  lifted_at: Date | null;
};

/** Lists the open quarantines, then the last lifted ones. With `id`: only this one. */
export async function listQuarantined(db: Database, id?: number): Promise<QuarantinedVersion[]> {
  const { rows } = await sql<ListedRow>`
    SELECT q.id, q.item_type, q.slug, q.name, q.version, q.reason, q.created_at, q.lifted_at, q.lift_reason,
      c.name AS created_by, l.name AS lifted_by
    FROM quarantined_versions q LEFT JOIN users c ON c.id = q.created_by LEFT JOIN users l ON l.id = q.lifted_by
    WHERE ${
      id === undefined
        ? sql`q.lifted_at IS NULL OR q.id IN (SELECT id FROM quarantined_versions
            WHERE lifted_at IS NOT NULL ORDER BY lifted_at DESC LIMIT ${LIFTED_SHOWN_MAX})`
        : sql`q.id = ${id}`
    }
    ORDER BY q.lifted_at DESC NULLS FIRST, q.id DESC`.execute(db);
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    lifted_at: row.lifted_at?.toISOString() ?? null,
  }));
}

/** Reads the open quarantines from a partial index. There are few. */
export function readOpenQuarantine(db: Database): Promise<QuarantineRow[]> {
  const open = tables(db)
    .selectFrom('quarantined_versions')
    .selectAll()
    .where('lifted_at', 'is', null);
  return open.orderBy('id').execute();
}

export async function countOpenQuarantine(trx: Trx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM quarantined_versions WHERE lifted_at IS NULL`.execute(
    trx,
  );
  return rows[0]?.count ?? 0;
}

/** Returns null if the version is already quarantined. */
export async function insertQuarantine(
  trx: Trx,
  version: Insertable<RuleTables['quarantined_versions']>,
): Promise<number | null> {
  const row = await tables(trx)
    .insertInto('quarantined_versions')
    .values(version)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

export function lockQuarantine(trx: Trx, id: number): Promise<QuarantineRow | undefined> {
  const row = tables(trx).selectFrom('quarantined_versions').selectAll().where('id', '=', id);
  return row.forUpdate().executeTakeFirst();
}

export async function markLifted(
  trx: Trx,
  id: number,
  values: { lifted_at: Date; lifted_by: number | null; lift_reason: string },
): Promise<void> {
  await tables(trx).updateTable('quarantined_versions').set(values).where('id', '=', id).execute();
}

/** The name that sites report for the software; undefined if no site has it. */
export async function findSoftwareName(
  db: Database,
  type: string,
  slug: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM software WHERE type = ${type} AND slug = ${slug}`.execute(db);
  return rows[0]?.name;
}
