export { createHealthCache } from './health-cache.ts';
export {
  createItemErrorService,
  type ItemErrorService,
  readItemErrors,
} from './item-errors.service.ts';
export type { TroubledWatch } from './judge-watches.ts';
export { startWatchJudge, type WatchTiming } from './start-watch-judge.ts';
export { readVersionHealth, readVersionWarnings } from './version-health.ts';
export type { UpdatedItem, UpdatedTask } from './watches.repository.ts';
export {
  createWatchService,
  readItemHealth,
  readWatches,
  type WatchService,
} from './watches.service.ts';
