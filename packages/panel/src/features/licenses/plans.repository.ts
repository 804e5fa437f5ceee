import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { inNaturalOrder } from '../../platform/database/natural-order.ts';
import { tables } from './database.ts';
import type { LicenseTables } from './tables.ts';

export type PlanRow = Selectable<LicenseTables['plans']>;

export function listPlans(db: Database): Promise<PlanRow[]> {
  return tables(db).selectFrom('plans').selectAll().orderBy(inNaturalOrder(sql`name`)).execute();
}

export function findPlanBySlug(trx: Trx, slug: string): Promise<PlanRow | undefined> {
  return tables(trx).selectFrom('plans').selectAll().where('slug', '=', slug).executeTakeFirst();
}

/** Returns undefined if a plan with this slug already exists. */
export function insertPlan(
  trx: Trx,
  plan: Insertable<LicenseTables['plans']>,
): Promise<PlanRow | undefined> {
  return tables(trx)
    .insertInto('plans')
    .values(plan)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst();
}
