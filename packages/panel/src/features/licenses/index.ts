export { createActivationService } from './activations.service.ts';
export { isActiveSite } from './active-site.ts';
export { announceEndingLicenses } from './announce-licenses.ts';
export { createCheckService } from './checks.service.ts';
export { createSiteKey, createToken } from './create-credentials.ts';
export { enrolmentCodeRoutes } from './enrolment-codes.routes.ts';
export {
  createEnrolmentCodeService,
  type EnrolmentCodeService,
} from './enrolment-codes.service.ts';
export { createKeyRevealService } from './key-reveal.service.ts';
export { createKeyRotationService } from './key-rotation.service.ts';
export { hasExpiredKey } from './key-rule.ts';
export { startLicenseChangeNotifier } from './license-change-notifier.ts';
export { createLicenseListService, type LicenseListService } from './license-list.service.ts';
export { licenseRoutes } from './licenses.routes.ts';
export {
  createLicenseService,
  type LicenseInput,
  type LicenseService,
  type LicenseSummary,
  type NewLicense,
} from './licenses.service.ts';
export { nextCheckInSeconds } from './next-check-in.ts';
export { panelLicenseRoutes } from './panel-licenses.routes.ts';
export { createPlanService } from './plans.service.ts';
export { createProbeClient, type ProbeClient } from './probe-limits.ts';
export { createProbeSite } from './probe-site.ts';
export { createProofService, type ProofService } from './proofs.service.ts';
export { siteArchiveRoutes } from './site-archive.routes.ts';
export { createSiteArchiveService, type SiteArchiveService } from './site-archive.service.ts';
export { createSiteAuthentication, type SiteAuthentication } from './site-authentication.ts';
export { SITE_CHECK_CODES } from './site-check-codes.ts';
export type { UsageRecord } from './usage.repository.ts';
export { createUsageService, type UsageService } from './usage.service.ts';
