import type { SavedView, SaveViewRequest } from '@steward/contract';
import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { inNaturalOrder } from '../../platform/database/natural-order.ts';
import { tables } from './database.ts';

export function listViews(db: Database, userId: number): Promise<SavedView[]> {
  return tables(db)
    .selectFrom('saved_views')
    .select(['id', 'page', 'name', 'query'])
    .where('user_id', '=', userId)
    .orderBy('page')
    .orderBy(inNaturalOrder(sql`name`))
    .execute();
}

/** A view with the same name gets the new query. Names that differ only in case are the same. */
export function upsertView(
  trx: Trx,
  userId: number,
  { page, name, query }: SaveViewRequest,
): Promise<SavedView> {
  return tables(trx)
    .insertInto('saved_views')
    .values({ user_id: userId, page, name, query })
    .onConflict((conflict) =>
      conflict.expression(sql`user_id, page, lower(name)`).doUpdateSet({ name, query }),
    )
    .returning(['id', 'page', 'name', 'query'])
    .executeTakeFirstOrThrow();
}

export async function countViews(trx: Trx, userId: number): Promise<number> {
  const { count } = await tables(trx)
    .selectFrom('saved_views')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns false if the user has no such view. */
export async function deleteView(db: Database, userId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom('saved_views')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
