export type { FindWindows } from './advance-rollout.ts';
export { cancelRolloutsOfSchedule } from './cancel-rollouts-of-schedule.ts';
export { createRolloutGuard } from './rollout-guard.ts';
export { rolloutRoutes } from './rollouts.routes.ts';
export { createRolloutService, type RolloutService } from './rollouts.service.ts';
export { type RolloutTiming, startRolloutEngine } from './start-rollout-engine.ts';
