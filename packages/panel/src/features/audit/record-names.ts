import type { AuditRecord } from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import type { NamedRecord } from './audit-export.ts';
import { listSiteNames, listUserNames, type SiteName } from './audit-log.repository.ts';

/** Lists the names of the sites in these records. */
export function findSiteNames(db: Database, records: AuditRecord[]): Promise<SiteName[]> {
  const ids = new Set(records.flatMap(({ site_id }) => site_id ?? []));
  return ids.size === 0 ? Promise.resolve([]) : listSiteNames(db, [...ids]);
}

/** Adds the current names of users and sites, for exports. */
export async function addNames(db: Database, records: AuditRecord[]): Promise<NamedRecord[]> {
  const userIds = new Set(records.flatMap(({ actor }) => (/^\d+$/.test(actor) ? [actor] : [])));
  const users = await listUserNames(db, [...userIds].map(Number));
  const sites = await findSiteNames(db, records);
  const userNames = new Map(users.map(({ id, name }) => [String(id), name]));
  const siteNames = new Map(sites.map(({ id, name }) => [id, name]));
  return records.map((record) => ({
    ...record,
    actor_name: userNames.get(record.actor) ?? null,
    site: record.site_id === null ? null : (siteNames.get(record.site_id) ?? null),
  }));
}
