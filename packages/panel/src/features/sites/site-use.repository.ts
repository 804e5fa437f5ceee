import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { executePrepared } from '../../platform/database/prepared-statements.ts';
import type { DailyUse } from './daily-limits.ts';

/** A site, and the key with which it sent a request. An enrolment code counts as the license key. */
export type SiteCredential = { siteId: number; credential: 'license_key' | 'site_key' };

export async function readUse(
  db: Database,
  { siteId, credential }: SiteCredential,
  day: string,
): Promise<DailyUse> {
  const query = sql<DailyUse>`SELECT changed_reports, audited_changes, error_reports FROM site_daily_use
    WHERE site_id = ${siteId} AND credential = ${credential} AND day = ${day}::date`;
  const [use] = await executePrepared(db, query.compile(db));
  return use ?? { changed_reports: 0, audited_changes: 0, error_reports: 0 };
}

/**
 * Adds to the use of a day and returns the sum. Lock order: a transaction that also writes the site or its activation does
 * so before.
 */
export async function addToUse(
  trx: Trx,
  { siteId, credential }: SiteCredential,
  day: string,
  added: DailyUse,
): Promise<DailyUse> {
  const statement = sql<DailyUse>`
    INSERT INTO site_daily_use AS u (site_id, credential, day, changed_reports, audited_changes, error_reports)
    VALUES (${siteId}, ${credential}, ${day}::date, ${added.changed_reports}, ${added.audited_changes},
      ${added.error_reports})
    ON CONFLICT (site_id, credential, day) DO UPDATE SET
      changed_reports = u.changed_reports + excluded.changed_reports,
      audited_changes = u.audited_changes + excluded.audited_changes,
      error_reports = u.error_reports + excluded.error_reports
    RETURNING changed_reports, audited_changes, error_reports`;
  const [use] = await executePrepared(trx, statement.compile(trx));
  if (!use) throw new Error('The statement returned no use.');
  return use;
}

export async function deleteUseBefore(db: Database, day: string): Promise<void> {
  await sql`DELETE FROM site_daily_use WHERE day < ${day}::date`.execute(db);
}
