import type { Database, Trx } from '../../platform/database/tables.ts';

/** The last scheduled backup. It is in the database, because the next one may run in another process. */
export type LastBackup = { at: Date; succeeded: boolean };

const SETTING = 'last_backup';

export async function findLastBackup(db: Database): Promise<LastBackup | null> {
  return parse(await selectSetting(db).executeTakeFirst());
}

/** Another process cannot save its backup until the transaction ends. */
export async function lockLastBackup(trx: Trx): Promise<LastBackup | null> {
  return parse(await selectSetting(trx).forUpdate().executeTakeFirst());
}

const selectSetting = (db: Database) =>
  db.selectFrom('panel_settings').select('value').where('name', '=', SETTING);

function parse(stored: { value: string } | undefined): LastBackup | null {
  if (!stored) return null;
  const { at, succeeded } = JSON.parse(stored.value);
  return { at: new Date(at), succeeded };
}

export async function saveLastBackup(db: Database, last: LastBackup): Promise<void> {
  const value = JSON.stringify({ at: last.at.toISOString(), succeeded: last.succeeded });
  await db
    .insertInto('panel_settings')
    .values({ name: SETTING, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
