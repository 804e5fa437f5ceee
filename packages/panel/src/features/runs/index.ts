export { createAllowedItemChooser } from './hold-back.ts';
export { openRunSystem, type RunTiming } from './open-run-system.ts';
export { packageRunRoutes } from './package-runs.routes.ts';
export type { CallWindow } from './plan-task.ts';
export { runPreviewRoutes } from './preview/run-preview.routes.ts';
export { createRunPreviewService } from './preview/run-preview.service.ts';
export {
  listUnfinishedRunsOfRollouts,
  lockRuns,
  markCancelled,
  RUN_CHANNEL,
} from './runs.repository.ts';
export { runRoutes } from './runs.routes.ts';
export type { RunService } from './runs.service.ts';
export { createUserRunCanceller } from './user-run-canceller.ts';
export { announceFailures } from './worker/announce-failures.ts';
export { cancelUncalledTasks } from './worker/save-results.ts';
