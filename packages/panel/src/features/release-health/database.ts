import { openTables } from '../../platform/database/handles.ts';
import type { PublishedLicenseTables } from '../licenses/tables.ts';
import type { PublishedRunTables } from '../runs/tables.ts';
import type { PublishedSiteTables } from '../sites/tables.ts';
import type { PublishedSoftwareTables } from '../software/tables.ts';
import type { ReleaseHealthTables } from './tables.ts';

export const tables = openTables<
  ReleaseHealthTables &
    PublishedLicenseTables &
    PublishedRunTables &
    PublishedSiteTables &
    PublishedSoftwareTables
>();
