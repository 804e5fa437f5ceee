import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { inNaturalOrder } from '../../platform/database/natural-order.ts';
import { tables } from './database.ts';

const SHOWN_OUTAGES = 20;

/** `firstDay`: a date such as 2026-06-01. */
export async function readReachability(db: Database, siteId: number, firstDay: string) {
  const [site, days, outages] = await Promise.all([
    tables(db)
      .selectFrom('site_reachability')
      .selectAll()
      .where('site_id', '=', siteId)
      .executeTakeFirst(),
    tables(db)
      .selectFrom('site_days')
      .select([sql<string>`day::text`.as('day'), 'checks', 'failed', 'seconds_down'])
      // A median is the middle of a range, which may end above the maximum.
      .select([
        sql<number | null>`least(response_median_ms, response_max_ms)`.as('response_median_ms'),
        'response_max_ms',
      ])
      .where('site_id', '=', siteId)
      .where('day', '>=', firstDay)
      .execute(),
    tables(db)
      .selectFrom('outages')
      .select(['started_at', 'ended_at', 'reason'])
      .where('site_id', '=', siteId)
      .orderBy('started_at', 'desc')
      .limit(SHOWN_OUTAGES)
      .execute(),
  ]);
  return { site, days, outages };
}

export type ExpiringCertificate = { site_id: number; name: string; expires_at: Date };

/** Lists the sites whose certificate expires before a time, starting with the earliest. */
export async function listExpiringCertificates(
  db: Database,
  visible: RawBuilder<SqlBool>,
  before: Date,
  limit: number,
): Promise<{ count: number; sites: ExpiringCertificate[] }> {
  const { rows } = await sql<ExpiringCertificate & { count: number }>`
    SELECT r.site_id, site_label(s.display_name, s.url) AS name, r.certificate_expires_at AS expires_at, count(*) OVER () AS count
    FROM site_reachability r JOIN sites s ON s.id = r.site_id
    WHERE r.certificate_expires_at < ${before}::timestamptz AND s.archived_at IS NULL AND ${visible}
    ORDER BY r.certificate_expires_at, ${inNaturalOrder(sql`s.name`)} LIMIT ${limit}`.execute(db);
  const sites = rows.map(({ site_id, name, expires_at }) => ({ site_id, name, expires_at }));
  return { count: rows[0]?.count ?? 0, sites };
}
