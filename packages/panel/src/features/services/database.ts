import { openTables } from '../../platform/database/handles.ts';
import type { ServiceTables } from './tables.ts';

export const tables = openTables<ServiceTables>();
