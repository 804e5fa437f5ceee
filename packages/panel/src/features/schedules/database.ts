import { openTables } from '../../platform/database/handles.ts';
import type { PublishedAccountTables } from '../accounts/tables.ts';
import type { PublishedRolloutTables } from '../rollouts/tables.ts';
import type { PublishedRunTables } from '../runs/tables.ts';
import type { PublishedSiteTables } from '../sites/tables.ts';
import type { PublishedSoftwareTables } from '../software/tables.ts';
import type { ScheduleTables } from './tables.ts';

export const tables = openTables<
  ScheduleTables &
    PublishedAccountTables &
    PublishedRolloutTables &
    PublishedRunTables &
    PublishedSiteTables &
    PublishedSoftwareTables
>();
