export { createAcceptAuditHead } from './accept-audit-head.ts';
export { auditRoutes } from './audit.routes.ts';
export { type AuditEntry, type AuditService, createAuditService } from './audit.service.ts';
export { createAuditChain, type Verification } from './audit-chain.service.ts';
export { createAuditDetach } from './audit-detach.service.ts';
export { type AuditFinding, describeMissingTrigger } from './audit-findings.ts';
export { createAuditHashes } from './audit-hashes.ts';
export { createAuditHead } from './audit-head.service.ts';
export { openHeadFile } from './audit-head-file.ts';
export { type AuditFilter, type AuditLog, createAuditLog } from './audit-log.service.ts';
export { type AuditMonitor, createAuditMonitor } from './audit-monitor.service.ts';
export { startAuditMonitoring } from './audit-monitoring.ts';
export {
  type AddedPartitions,
  addAuditPartitions,
  createPartitionsAhead,
  MONTHS_AHEAD,
  replacePartitions,
} from './audit-partitions.ts';
export { startAuditSealer } from './audit-sealer.ts';
export { CountedRefusal } from './counted-refusal.ts';
export type { DetachCheckpoint } from './detached-records.ts';
export { createHeadWebhook } from './head-webhook.ts';
export { createRepeatedEvents, type RepeatedEvents } from './repeated-events.service.ts';
export { createSiteHistoryService, type SiteHistoryService } from './site-history.service.ts';
