import type { StoredLicenseStatus } from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import { type CurrentUser, isVisibleTo } from '../site-access/index.ts';
import type { EndpointRecord } from '../sites/index.ts';
import { tables } from './database.ts';

export type SiteToOpen = Omit<EndpointRecord, 'has_site_key'> & {
  id: number;
  license_id: number;
  web_login_encrypted: Buffer | null;
  activation_status: 'active' | 'deactivated';
  site_key_encrypted: Buffer | null;
  capabilities: string[];
  license_status: StoredLicenseStatus;
  expires_at: Date | null;
  services: string[];
};

/** Reads from the primary: the result decides who gets into a site. */
export function findSiteToOpen(
  db: Database,
  user: CurrentUser,
  siteId: number,
): Promise<SiteToOpen | undefined> {
  return tables(db)
    .selectFrom('sites as s')
    .innerJoin('license_activations as a', 'a.site_id', 's.id')
    .innerJoin('licenses as l', 'l.id', 's.license_id')
    .innerJoin('plans as p', 'p.id', 'l.plan_id')
    .select([
      's.id',
      's.license_id',
      's.url',
      's.endpoint_url',
      's.approved_endpoint_url',
      's.web_login_encrypted',
      'a.status as activation_status',
      'a.site_key_encrypted',
      'a.capabilities',
      'a.proven_at',
      'a.proven_endpoint_url',
      'l.status as license_status',
      'l.expires_at',
    ])
    .select(({ fn }) => fn.coalesce('l.services', 'p.services').as('services'))
    .where('s.id', '=', siteId)
    .where(isVisibleTo(user, 's'))
    .executeTakeFirst();
}
