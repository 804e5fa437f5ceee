import { openTables } from '../../platform/database/handles.ts';
import type { PublishedSiteTables } from '../sites/tables.ts';
import type { SoftwareTables } from './tables.ts';

export const tables = openTables<SoftwareTables & PublishedSiteTables>();
