import { openTables } from '../../platform/database/handles.ts';
import type { PublishedAccountTables } from '../accounts/tables.ts';
import type { PublishedKeysOfSites, PublishedLicenseTables } from '../licenses/tables.ts';
import type { PublishedRolloutTables } from '../rollouts/tables.ts';
import type { PublishedScheduleTables } from '../schedules/tables.ts';
import type { PublishedSiteTables, PublishedWebLogins } from '../sites/tables.ts';
import type { PublishedSoftwareTables } from '../software/tables.ts';
import type { RunTables } from './tables.ts';

export const tables = openTables<
  PublishedKeysOfSites &
    PublishedWebLogins &
    RunTables &
    PublishedAccountTables &
    PublishedLicenseTables &
    PublishedRolloutTables &
    PublishedScheduleTables &
    PublishedSiteTables &
    PublishedSoftwareTables
>();
