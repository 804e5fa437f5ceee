import type { AuditName, AuditNamedType } from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

type NamedRow = { id: number; name: string | null };

/** Reads the current names of these entities. An entity that does not exist has no row. */
export async function listNames(
  db: Database,
  type: AuditNamedType,
  ids: number[],
): Promise<AuditName[]> {
  if (ids.length === 0) return [];
  const rows = await READERS[type](db, ids);
  return rows.map(({ id, name }) => ({ type, id, name }));
}

const READERS: Record<AuditNamedType, (db: Database, ids: number[]) => Promise<NamedRow[]>> = {
  user: (db, ids) =>
    tables(db).selectFrom('users').select(['id', 'name']).where('id', 'in', ids).execute(),
  site: (db, ids) =>
    tables(db)
      .selectFrom('sites as s')
      .select(['s.id', sql<string>`site_label(s.display_name, s.url)`.as('name')])
      .where('s.id', 'in', ids)
      .execute(),
  schedule: (db, ids) =>
    tables(db).selectFrom('schedules').select(['id', 'name']).where('id', 'in', ids).execute(),
  notification_channel: (db, ids) =>
    tables(db)
      .selectFrom('notification_channels')
      .select(['id', 'name'])
      .where('id', 'in', ids)
      .execute(),
  async update_rule(db, ids) {
    const rows = await tables(db)
      .selectFrom('update_rules')
      .select('id')
      .where('id', 'in', ids)
      .execute();
    return rows.map(({ id }) => ({ id, name: null }));
  },
  async license(db, ids) {
    const rows = await tables(db)
      .selectFrom('licenses as l')
      .innerJoin('plans as p', 'p.id', 'l.plan_id')
      .select(['l.id', 'l.name', 'l.key_last_six', 'p.name as plan'])
      .where('l.id', 'in', ids)
      .execute();
    return rows.map(({ id, name, plan, key_last_six }) => ({
      id,
      name: formatLicenseName(name ?? plan, key_last_six),
    }));
  },
};

/** "Care (…CKDZX9)" */
export const formatLicenseName = (name: string, lastSix: string): string => `${name} (…${lastSix})`;
