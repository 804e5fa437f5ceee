import { openTables } from '../../platform/database/handles.ts';
import type { PublishedKeysOfSites, PublishedLicenseTables } from '../licenses/tables.ts';
import type { PublishedReleaseHealthTables } from '../release-health/tables.ts';
import type { PublishedRunTables } from '../runs/tables.ts';
import type { PublishedSiteTables, PublishedWebLogins } from '../sites/tables.ts';
import type { HealthTables } from './tables.ts';

export const tables = openTables<
  PublishedKeysOfSites &
    PublishedWebLogins &
    HealthTables &
    PublishedLicenseTables &
    PublishedReleaseHealthTables &
    PublishedRunTables &
    PublishedSiteTables
>();
