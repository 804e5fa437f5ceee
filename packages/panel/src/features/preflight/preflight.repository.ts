import type {
  PendingItem,
  SiteFailureCode,
  SiteFault,
  SiteStatus,
  StoredPreflight,
} from '@steward/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { inNaturalOrder } from '../../platform/database/natural-order.ts';
import { oldestCurrentPing } from '../health/index.ts';

export type SiteToCheck = {
  id: number;
  name: string;
  status: SiteStatus;
  fault: SiteFault | null;
  fault_error: string | null;
  /** The state of a recent ping; null if there is none. */
  reachability: 'up' | 'down' | null;
  down_reason: SiteFailureCode | null;
  php_version: string;
  cms_version: string;
  preflight: StoredPreflight | null;
  preflight_at: Date | null;
  backed_up_at: Date | null;
};

/** Reads the sites with these ids that the user may see, sorted by name. */
export async function readSitesToCheck(
  db: Database,
  ids: number[],
  visible: RawBuilder<SqlBool>,
  { status, now }: { status: RawBuilder<SiteStatus>; now: Date },
): Promise<SiteToCheck[]> {
  const { rows } = await sql<SiteToCheck>`
    SELECT s.id, s.name, ${status} AS status, s.fault, s.fault_error, a.php_version, a.cms_version,
      s.preflight, s.preflight_at, s.backed_up_at, r.state AS reachability, r.reason AS down_reason
    FROM sites s JOIN license_activations a ON a.site_id = s.id
    LEFT JOIN site_reachability r ON r.site_id = s.id AND r.pinged_at >= ${oldestCurrentPing(now)}
    WHERE s.id = ANY(${ids}::bigint[]) AND ${visible} ORDER BY ${inNaturalOrder(sql`s.name`)}, s.id`.execute(
    db,
  );
  return rows;
}

export async function readPendingItems(
  db: Database,
  siteIds: number[],
): Promise<(PendingItem & { site_id: number })[]> {
  const { rows } = await sql<PendingItem & { site_id: number }>`
    SELECT i.site_id, w.type, w.slug, w.name, i.new_version AS version, i.active
    FROM unnest(${siteIds}::bigint[]) AS wanted (id) JOIN site_software i ON i.site_id = wanted.id
    JOIN software w ON w.id = i.software_id
    WHERE i.new_version IS NOT NULL AND NOT w.is_management_plugin ORDER BY i.site_id, w.type, ${inNaturalOrder(sql`w.name`)}`.execute(
    db,
  );
  return rows;
}
