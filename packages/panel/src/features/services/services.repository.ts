import type { Service } from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

export function listServices(db: Database): Promise<Service[]> {
  return tables(db)
    .selectFrom('services')
    .select(['slug', 'name', 'description', 'version', 'category'])
    .orderBy('slug')
    .execute();
}
