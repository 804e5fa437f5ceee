import { openTables } from '../../platform/database/handles.ts';
import type { PublishedAccountTables } from '../accounts/tables.ts';
import type { PublishedSiteTables } from '../sites/tables.ts';
import type { AuditTables } from './tables.ts';

export const tables = openTables<AuditTables & PublishedAccountTables & PublishedSiteTables>();
