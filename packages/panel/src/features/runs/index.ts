export { openRunSystem, type RunTiming } from './open-run-system.ts';
export { packageRunRoutes } from './package-runs.routes.ts';
export { runPreviewRoutes } from './preview/run-preview.routes.ts';
export { createRunPreviewService } from './preview/run-preview.service.ts';
export { listUnfinishedRunsOf, lockRuns, markCancelled, RUN_CHANNEL } from './runs.repository.ts';
export { runRoutes } from './runs.routes.ts';
export type { CallWindow, RunService } from './runs.service.ts';
export { createUserRunCanceller } from './user-run-canceller.ts';
export { cancelUncalledTasks } from './worker/save-results.ts';
