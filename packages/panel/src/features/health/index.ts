export { compareSite } from './compare-site.ts';
export {
  createHealthMonitor,
  type HealthMonitorOptions,
  type HealthTiming,
  startHealthMonitor,
} from './health-monitor.ts';
export { isHealthyPage } from './judge-pages.ts';
export {
  findError,
  type ItemResult,
  isRefused,
  isTroubled,
  judgeItems,
  LATER_TROUBLE,
  type UpdateEvidence,
} from './judge-update.ts';
export { findProvenTarget } from './observed-target.ts';
export { checkFromOutside, type OutsideCheck, observePages } from './outside-check.ts';
export { postponePings } from './reachability.repository.ts';
export { reachabilityRoutes } from './reachability.routes.ts';
export {
  createReachabilityService,
  oldestCurrentPing,
  type ReachabilityService,
} from './reachability.service.ts';
export { listExpiringCertificates } from './reachability-view.repository.ts';
export {
  countOpenChecks,
  hasOpenChecks,
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
