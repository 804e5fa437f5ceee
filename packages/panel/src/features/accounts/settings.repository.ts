import type { Database, Trx } from '../../platform/database/tables.ts';

const REQUIRE_SECOND_FACTOR = 'require_second_factor';

export async function isSecondFactorRequired(db: Database): Promise<boolean> {
  const row = await db
    .selectFrom('panel_settings')
    .select('value')
    .where('name', '=', REQUIRE_SECOND_FACTOR)
    .executeTakeFirst();
  return row?.value === 'true';
}

export async function storeSecondFactorRequired(trx: Trx, isRequired: boolean): Promise<void> {
  const value = String(isRequired);
  await trx
    .insertInto('panel_settings')
    .values({ name: REQUIRE_SECOND_FACTOR, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
