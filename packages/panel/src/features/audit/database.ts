import { openTables } from '../../platform/database/handles.ts';
import type { PublishedAccountTables } from '../accounts/tables.ts';
import type { PublishedClientTables } from '../clients/tables.ts';
import type { PublishedLicenseTables } from '../licenses/tables.ts';
import type { PublishedNotificationTables } from '../notifications/tables.ts';
import type { PublishedRuleTables } from '../rules/tables.ts';
import type { PublishedScheduleTables } from '../schedules/tables.ts';
import type { PublishedSiteTables } from '../sites/tables.ts';
import type { AuditTables } from './tables.ts';

export const tables = openTables<
  AuditTables &
    PublishedAccountTables &
    PublishedClientTables &
    PublishedSiteTables &
    PublishedLicenseTables &
    PublishedScheduleTables &
    PublishedRuleTables &
    PublishedNotificationTables
>();
