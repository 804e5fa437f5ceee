export type { HoldFinder, PendingItem } from './decide-holds.ts';
export { createHoldFinder } from './hold-finder.ts';
export { createQuarantineService, type QuarantineService } from './quarantine.service.ts';
export { findRestoreRule } from './restore-rule.ts';
export { ruleRoutes } from './rules.routes.ts';
export { createRuleService, type RuleService } from './rules.service.ts';
export { findSoftwareHolds } from './software-holds.ts';
