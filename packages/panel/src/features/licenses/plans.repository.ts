import type { Insertable, Selectable } from 'kysely';
import type { Database, Tables, Trx } from '../../platform/database/tables.ts';

export type PlanRow = Selectable<Tables['plans']>;

export function listPlans(db: Database): Promise<PlanRow[]> {
  return db.selectFrom('plans').selectAll().orderBy('name').execute();
}

export function findPlanBySlug(trx: Trx, slug: string): Promise<PlanRow | undefined> {
  return trx.selectFrom('plans').selectAll().where('slug', '=', slug).executeTakeFirst();
}

/** Returns undefined if a plan with this slug already exists. */
export function insertPlan(
  trx: Trx,
  plan: Insertable<Tables['plans']>,
): Promise<PlanRow | undefined> {
  return trx
    .insertInto('plans')
    .values(plan)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst();
}
