import { openTables } from '../../platform/database/handles.ts';
import type { PublishedAccountTables } from '../accounts/tables.ts';
import type { PublishedClientTables } from '../clients/tables.ts';
import type { PublishedLicenseTables } from '../licenses/tables.ts';
import type { PublishedSiteTables } from '../sites/tables.ts';
import type { SiteAccessTables } from './tables.ts';

export const tables = openTables<
  SiteAccessTables &
    PublishedAccountTables &
    PublishedClientTables &
    PublishedLicenseTables &
    PublishedSiteTables
>();
