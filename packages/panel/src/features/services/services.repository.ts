import type { Service } from '@steward/contract';
import type { Database } from '../../platform/database/tables.ts';

export function listServices(db: Database): Promise<Service[]> {
  return db
    .selectFrom('services')
    .select(['slug', 'name', 'description', 'version', 'category'])
    .orderBy('slug')
    .execute();
}
