import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Database, openTables, type Trx } from './handles.ts';
import type { PlatformTables } from './tables.ts';

const tables = openTables<PlatformTables>();

/** What the panel stores about itself, one text per name. */

const selectSetting = (db: Database, name: string) =>
  tables(db).selectFrom('panel_settings').select('value').where('name', '=', name);

export async function readSetting(db: Database, name: string): Promise<string | undefined> {
  return (await selectSetting(db, name).executeTakeFirst())?.value;
}

/** Locks the setting, if it exists, until the transaction ends. */
export async function lockSetting(trx: Trx, name: string): Promise<string | undefined> {
  return (await selectSetting(trx, name).forUpdate().executeTakeFirst())?.value;
}

export async function writeSetting(db: Database, name: string, value: string): Promise<void> {
  await tables(db)
    .insertInto('panel_settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Stores the value if the setting does not exist yet. Of two processes, one stores its value. */
export async function writeFirstSetting(db: Database, name: string, value: string): Promise<void> {
  await tables(db)
    .insertInto('panel_settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Builds the SQL predicate for a setting with this value, for queries that must not take two statements. */
export function hasSetting(name: string, value: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`EXISTS (SELECT FROM panel_settings WHERE name = ${name} AND value = ${value})`;
}
