import { type Insertable, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { isActiveSite } from '../licenses/index.ts';
import { tables } from './database.ts';
import type { PackageTables } from './tables.ts';

export async function insertLinks(
  db: Database,
  links: Insertable<PackageTables['package_links']>[],
): Promise<void> {
  if (links.length > 0) await tables(db).insertInto('package_links').values(links).execute();
}

/** Marks the link as used. Of two concurrent requests, one gets the package and the other gets undefined. */
export async function consumeLink(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<{ package_id: number; size: number } | undefined> {
  const { rows } = await sql<{ package_id: number; size: number }>`
    UPDATE package_links l SET used_at = ${now}::timestamptz
    FROM packages p
    WHERE l.token_hash = ${tokenHash} AND l.used_at IS NULL AND l.expires_at > ${now}::timestamptz
      AND p.id = l.package_id
      AND ${isActiveSite('l.site_id')}
    RETURNING l.package_id, p.size`.execute(db);
  return rows[0];
}

export function findLink(db: Database, tokenHash: Buffer) {
  return tables(db)
    .selectFrom('package_links')
    .select('used_at')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
}

export async function deleteLinksExpiredBefore(db: Database, time: Date): Promise<void> {
  await tables(db).deleteFrom('package_links').where('expires_at', '<', time).execute();
}
