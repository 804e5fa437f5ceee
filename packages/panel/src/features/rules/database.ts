import { openTables } from '../../platform/database/handles.ts';
import type { PublishedAccountTables } from '../accounts/tables.ts';
import type { PublishedSiteTables } from '../sites/tables.ts';
import type { PublishedSoftwareTables } from '../software/tables.ts';
import type { RuleTables } from './tables.ts';

export const tables = openTables<
  RuleTables & PublishedAccountTables & PublishedSiteTables & PublishedSoftwareTables
>();
