/** `@steward/panel/features`: the parts of features that benchmarks measure or that tests and benchmarks prepare data with. */
export type { PasswordHashing } from '../features/accounts/index.ts';
export { openBackup } from '../features/backup/index.ts';
export { createHealthMonitor, listTroubles } from '../features/health/index.ts';
export {
  createSiteKey,
  createToken,
  type LicenseInput,
  nextCheckInSeconds,
} from '../features/licenses/index.ts';
export { createHoldFinder } from '../features/rules/index.ts';
export { createItemPlanner, type RunTiming } from '../features/runs/index.ts';
export type { GrantTarget } from '../features/site-access/index.ts';
export { hashInventory, keepKnownFields, toStoredPreflight } from '../features/sites/index.ts';
