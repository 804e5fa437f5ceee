import { openTables } from '../../platform/database/handles.ts';
import type { PublishedSiteTables } from '../sites/tables.ts';
import type { LicenseTables } from './tables.ts';

export const tables = openTables<LicenseTables & PublishedSiteTables>();
