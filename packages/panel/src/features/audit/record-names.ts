import {
  AUDIT_NAMED_TYPES,
  type AuditName,
  type AuditRecord,
  findAuditEntityName,
  listAuditReferences,
} from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import type { NamedRecord } from './audit-export.ts';
import { listNames } from './record-names.repository.ts';

/** Lists the current names of the users, sites, licenses and other entities in these records. */
export async function findNames(db: Database, records: AuditRecord[]): Promise<AuditName[]> {
  const references = records.flatMap(listAuditReferences);
  const names = AUDIT_NAMED_TYPES.map((type) => {
    const ids = references.filter((reference) => reference.type === type).map(({ id }) => id);
    return listNames(db, type, [...new Set(ids)]);
  });
  return (await Promise.all(names)).flat();
}

/** Adds the current names of users, sites and other entities, for exports and the command line. */
export async function addNames(db: Database, records: AuditRecord[]): Promise<NamedRecord[]> {
  const names = new Map(
    (await findNames(db, records)).map(({ type, id, name }) => [`${type} ${id}`, name]),
  );
  return records.map((record) => ({
    ...record,
    actor_name: names.get(`user ${record.actor}`) ?? null,
    site: names.get(`site ${record.site_id}`) ?? null,
    entity_name: findAuditEntityName(record, (type, id) => names.get(`${type} ${id}`)),
  }));
}
