export { compareSite } from './compare-site.ts';
export {
  countOpenChecks,
  REPEATED_CHECK_SECONDS,
  requestRepeatedChecks,
} from './repeated-checks.repository.ts';
export {
  listTroubles,
  readBefore,
  storeAfter,
  storeBefore,
  type TaskHealth,
  type TaskTrouble,
} from './task-health.repository.ts';
