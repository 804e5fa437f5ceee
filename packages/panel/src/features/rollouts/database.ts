import { openTables } from '../../platform/database/handles.ts';
import type { PublishedAccountTables } from '../accounts/tables.ts';
import type { PublishedHealthTables } from '../health/tables.ts';
import type { PublishedReleaseHealthTables } from '../release-health/tables.ts';
import type { PublishedRunTables } from '../runs/tables.ts';
import type { PublishedSiteTables } from '../sites/tables.ts';
import type { PublishedSoftwareTables } from '../software/tables.ts';
import type { RolloutTables } from './tables.ts';

export const tables = openTables<
  RolloutTables &
    PublishedAccountTables &
    PublishedHealthTables &
    PublishedReleaseHealthTables &
    PublishedRunTables &
    PublishedSiteTables &
    PublishedSoftwareTables
>();
