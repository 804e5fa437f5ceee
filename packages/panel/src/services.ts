import type { DatabaseConnection } from './database/connect.ts';
import { createAuthenticator } from './features/accounts/authenticator.ts';
import { createConfirmationService } from './features/accounts/confirmation.service.ts';
import { createCsrfTokens } from './features/accounts/csrf.ts';
import { createKnownDevices } from './features/accounts/known-devices.ts';
import { createOneTimeLinks } from './features/accounts/one-time-links.ts';
import { createPasskeyService } from './features/accounts/passkeys.service.ts';
import { createPasswordThrottle } from './features/accounts/password-throttle.ts';
import { createPasswordService } from './features/accounts/passwords.service.ts';
import { type PasswordHashing, slowHashing } from './features/accounts/passwords.ts';
import { createSecondFactorService } from './features/accounts/second-factor.service.ts';
import { createSessionService } from './features/accounts/sessions.service.ts';
import { createSettingsService } from './features/accounts/settings.service.ts';
import { createSetupService } from './features/accounts/setup.service.ts';
import { createSignInService } from './features/accounts/sign-in.service.ts';
import { createSignInChallenges } from './features/accounts/sign-in-challenges.ts';
import { createUserService } from './features/accounts/users.service.ts';
import { createAcceptAuditHead } from './features/audit/accept-audit-head.ts';
import { type AuditService, createAuditService } from './features/audit/audit.service.ts';
import { createAuditChain } from './features/audit/audit-chain.service.ts';
import { createAuditHashes } from './features/audit/audit-hashes.ts';
import { createAuditHead } from './features/audit/audit-head.service.ts';
import { openHeadFile } from './features/audit/audit-head-file.ts';
import { createAuditLog } from './features/audit/audit-log.service.ts';
import { type AuditWatch, createAuditWatch } from './features/audit/audit-watch.service.ts';
import { createSiteHistoryService } from './features/audit/site-history.service.ts';
import { createActivationService } from './features/licenses/activations.service.ts';
import { createCheckService } from './features/licenses/checks.service.ts';
import { createKeyRevealService } from './features/licenses/key-reveal.service.ts';
import { createKeyRotationService } from './features/licenses/key-rotation.service.ts';
import { createLicenseListService } from './features/licenses/license-list.service.ts';
import { createLicenseService } from './features/licenses/licenses.service.ts';
import { createPlanService } from './features/licenses/plans.service.ts';
import { createOverviewService } from './features/overview/overview.service.ts';
import { createCancelRunsOfUser } from './features/runs/cancel-runs-of-user.ts';
import { createServiceCatalogue } from './features/services/services.service.ts';
import { createSigningKeyService } from './features/signing-keys/signing-keys.service.ts';
import { createSiteAccessService } from './features/site-access/site-access.service.ts';
import { createCallLogService } from './features/sites/call-log.service.ts';
import { createEndpointApprovalService } from './features/sites/endpoint-approval.service.ts';
import { createSiteListService } from './features/sites/site-list.service.ts';
import { createSiteService } from './features/sites/sites.service.ts';
import { createTagService } from './features/sites/tags.service.ts';
import { createUpdatePreviewService } from './features/sites/update-preview.service.ts';
import { createWebLoginService } from './features/sites/web-login.service.ts';
import { createWordPressPluginService } from './features/wordpress-plugin/wordpress-plugin.service.ts';
import type { Clock } from './lib/clock.ts';
import type { LoadMonitor } from './lib/load-monitor.ts';
import type { Logger } from './lib/logger.ts';
import type { Secrets } from './lib/secrets.ts';

export type ServiceDependencies = Pick<DatabaseConnection, 'db' | 'pool'> & {
  secrets: Secrets;
  clock: Clock;
  load: LoadMonitor;
  log: Logger;
  /** Where the head of the audit log is sealed. */
  dataDir: string;
  /** The address people know the panel by: cookies are made for it. */
  baseUrl: string;
  /** Where links lead. */
  linkBase(): string;
  hashing?: PasswordHashing;
};

export type Services = ReturnType<typeof createServices>;

/** The features, wired by hand; the server and the command line share them. */
export function createServices(deps: ServiceDependencies) {
  const { db, pool, secrets, clock, load, log, dataDir } = deps;
  const hashes = createAuditHashes(secrets);
  const audit = createAuditService({ clock, hashes });
  const file = openHeadFile(dataDir, secrets);
  const auditHead = createAuditHead({ db, hashes, file, clock, log });
  const auditChain = createAuditChain({ db, hashes, head: auditHead });
  const auditWatch = createAuditWatch({ db, hashes, head: auditHead, log });
  const services = createServiceCatalogue({ db });
  const sites = createSiteService({ db, clock });
  const plans = createPlanService({ db, clock, audit, services });
  const signingKeys = createSigningKeyService({ db, secrets, clock, audit });
  const callLog = createCallLogService({ db, clock, audit, nonces: signingKeys });
  return {
    audit,
    sites,
    auditHead,
    auditChain,
    auditWatch,
    acceptAuditHead: createAcceptAuditHead({ db, audit, chain: auditChain, head: auditHead }),
    auditLog: createAuditLog({ db }),
    signingKeys,
    callLog,
    services,
    plans,
    licenses: createLicenseService({ db, secrets, clock, audit, services, plans }),
    activations: createActivationService({ db, secrets, clock, audit, sites, callLog }),
    checks: createCheckService({ db, pool, secrets, clock, load, sites, audit, callLog }),
    ...createAccounts(deps, audit),
    ...createScreens(deps, audit, auditWatch),
  };
}

function createAccounts(deps: ServiceDependencies, audit: AuditService) {
  const { db, clock, secrets, hashing = slowHashing } = deps;
  const links = createOneTimeLinks(deps);
  const throttle = createPasswordThrottle({ db, clock, secrets, audit });
  const passwords = createPasswordService({ db, clock, audit, links, throttle, hashing });
  const cancelRunsOfUser = createCancelRunsOfUser({ clock, audit });
  const users = createUserService({
    db,
    clock,
    audit,
    links,
    passwords,
    hashing,
    cancelRunsOfUser,
  });
  const authenticator = createAuthenticator({ ...deps, hashing });
  const csrf = createCsrfTokens({ secrets });
  const sessions = createSessionService({ db, clock, audit, authenticator, csrf });
  const secondFactors = createSecondFactorService({ db, clock, secrets, audit, throttle });
  const challenges = createSignInChallenges(deps);
  const devices = createKnownDevices(deps);
  const passkeys = createPasskeyService({ ...deps, audit });
  const shared = { db, clock, audit, throttle, secondFactors, passkeys };
  return {
    passwords,
    users,
    settings: createSettingsService({ db, audit }),
    secondFactors,
    passkeys,
    sessions,
    confirmation: createConfirmationService({ ...shared, passwords }),
    signIns: createSignInService({ ...shared, authenticator, sessions, challenges, devices }),
    setup: createSetupService({ db, clock, audit, links, users, hashing }),
    siteAccess: createSiteAccessService({ db, clock, audit, users }),
  };
}

/** What only the screens ask for. */
function createScreens(deps: ServiceDependencies, audit: AuditService, auditWatch: AuditWatch) {
  const { db, clock, secrets } = deps;
  const licenseList = createLicenseListService({ db, clock });
  return {
    licenseList,
    keyRotation: createKeyRotationService({ db, secrets, clock, audit }),
    keyReveal: createKeyRevealService({ db, secrets, audit }),
    siteList: createSiteListService({ db, clock }),
    siteHistory: createSiteHistoryService({ db }),
    updatePreview: createUpdatePreviewService({ db, clock }),
    tags: createTagService({ db, audit }),
    endpointApproval: createEndpointApprovalService({ db, audit }),
    webLogin: createWebLoginService({ db, secrets, audit }),
    overview: createOverviewService({ db, clock, licenses: licenseList, auditWatch }),
    wordpressPlugin: createWordPressPluginService(deps),
  };
}
