import { openTables } from '../../platform/database/handles.ts';
import type { SoftwareTables } from './tables.ts';

export const tables = openTables<SoftwareTables>();
