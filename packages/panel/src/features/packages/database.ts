import { openTables } from '../../platform/database/handles.ts';
import type { PackageTables } from './tables.ts';

export const tables = openTables<PackageTables>();
