import { openTables } from '../../platform/database/handles.ts';
import type { PublishedLicenseTables } from '../licenses/tables.ts';
import type { PublishedRunTables } from '../runs/tables.ts';
import type { PublishedSiteTables } from '../sites/tables.ts';
import type { HealthTables } from './tables.ts';

export const tables = openTables<
  HealthTables & PublishedLicenseTables & PublishedRunTables & PublishedSiteTables
>();
