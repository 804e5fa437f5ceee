import type { AccessTokenTables } from './features/access-tokens/tables.ts';
import type { AccountTables } from './features/accounts/tables.ts';
import type { AuditTables } from './features/audit/tables.ts';
import type { ClientTables } from './features/clients/tables.ts';
import type { HealthTables } from './features/health/tables.ts';
import type { LicenseTables } from './features/licenses/tables.ts';
import type { NotificationTables } from './features/notifications/tables.ts';
import type { PackageTables } from './features/packages/tables.ts';
import type { ReleaseHealthTables } from './features/release-health/tables.ts';
import type { RolloutTables } from './features/rollouts/tables.ts';
import type { RuleTables } from './features/rules/tables.ts';
import type { RunTables } from './features/runs/tables.ts';
import type { SavedViewTables } from './features/saved-views/tables.ts';
import type { ScheduleTables } from './features/schedules/tables.ts';
import type { ServiceTables } from './features/services/tables.ts';
import type { SigningKeyTables } from './features/signing-keys/tables.ts';
import type { SiteAccessTables } from './features/site-access/tables.ts';
import type { SiteTables } from './features/sites/tables.ts';
import type { SoftwareTables } from './features/software/tables.ts';
import type { WordPressPluginTables } from './features/wordpress-plugin/tables.ts';
import type { PlatformTables } from './platform/database/tables.ts';

/** All tables that `migrations/` creates, for tests. Code of a feature uses `tables()` of its `database.ts`. */
export type Tables = AccessTokenTables &
  AccountTables &
  AuditTables &
  ClientTables &
  HealthTables &
  LicenseTables &
  NotificationTables &
  PackageTables &
  PlatformTables &
  ReleaseHealthTables &
  RolloutTables &
  RuleTables &
  RunTables &
  SavedViewTables &
  ScheduleTables &
  ServiceTables &
  SigningKeyTables &
  SiteAccessTables &
  SiteTables &
  SoftwareTables &
  WordPressPluginTables;
