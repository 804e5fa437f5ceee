import { openTables } from '../../platform/database/handles.ts';
import type { PublishedLicenseTables } from '../licenses/tables.ts';
import type { PublishedRunTables } from '../runs/tables.ts';
import type { PublishedSiteTables } from '../sites/tables.ts';

/** The tables that the statements of this feature may read. */
export const tables = openTables<
  PublishedLicenseTables & PublishedRunTables & PublishedSiteTables
>();
