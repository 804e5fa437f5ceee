import { openTables } from '../../platform/database/handles.ts';
import type { PublishedClientTables } from '../clients/tables.ts';
import type { PublishedHealthTables } from '../health/tables.ts';
import type { PublishedLicenseTables } from '../licenses/tables.ts';
import type { PublishedRunTables } from '../runs/tables.ts';
import type { PublishedSoftwareTables } from '../software/tables.ts';
import type { SiteTables } from './tables.ts';

export const tables = openTables<
  SiteTables &
    PublishedClientTables &
    PublishedHealthTables &
    PublishedLicenseTables &
    PublishedRunTables &
    PublishedSoftwareTables
>();
