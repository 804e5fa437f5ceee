export { createCancelRunsOfUser } from './cancel-runs-of-user.ts';
export { openRuns, type Runs } from './open-runs.ts';
export { runRoutes } from './runs.routes.ts';
export type { RunService } from './runs.service.ts';
