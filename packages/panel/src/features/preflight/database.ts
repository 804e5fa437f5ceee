import { openTables } from '../../platform/database/handles.ts';
import type { PublishedHealthTables } from '../health/tables.ts';
import type { PublishedLicenseTables } from '../licenses/tables.ts';
import type { PublishedSiteTables } from '../sites/tables.ts';
import type { PublishedSoftwareTables } from '../software/tables.ts';

/** The tables that the statements of this feature may read. */
export const tables = openTables<
  PublishedHealthTables & PublishedLicenseTables & PublishedSiteTables & PublishedSoftwareTables
>();
