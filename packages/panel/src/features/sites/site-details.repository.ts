import type { Inventory, StoredBackup } from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { type Predicate, SITE_COLUMNS, type SiteRow } from './search/index.ts';

export type SiteDetailsRow = SiteRow & {
  note: string | null;
  has_web_login: boolean;
  checked_pages: string[];
  has_site_key: boolean;
  key_ends_at: Date | null;
  capabilities: string[];
  accepts_unsigned_calls: boolean;
  proven_at: Date | null;
  proven_endpoint_url: string | null;
  proof_error: string | null;
  endpoint_url: string | null;
  approved_endpoint_url: string | null;
  requested_endpoint_url: string | null;
  created_at: Date;
  inventory: Inventory | null;
  backups: StoredBackup[] | null;
  plan_name: string;
  plan_slug: string;
  activated_at: Date;
  deactivated_at: Date | null;
};

export async function findSite(
  db: Database,
  visible: Predicate,
  id: number,
): Promise<SiteDetailsRow | undefined> {
  const { rows } = await sql<SiteDetailsRow>`
    SELECT ${SITE_COLUMNS}, s.endpoint_url, s.approved_endpoint_url, s.requested_endpoint_url, s.created_at,
      s.web_login_encrypted IS NOT NULL AS has_web_login, s.checked_pages, s.note, s.inventory, s.backups, a.activated_at,
      a.site_key_hash IS NOT NULL AS has_site_key, a.key_ends_at, a.capabilities, a.accepts_unsigned_calls, a.proven_at, a.proof_error,
      a.proven_endpoint_url, a.deactivated_at, p.name AS plan_name, p.slug AS plan_slug
    FROM sites s
    JOIN license_activations a ON a.site_id = s.id
    JOIN licenses l ON l.id = s.license_id
    JOIN plans p ON p.id = l.plan_id
    WHERE s.id = ${id} AND ${visible}`.execute(db);
  return rows[0];
}
