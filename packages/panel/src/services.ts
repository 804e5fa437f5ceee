import {
  createAccessTokenService,
  createLicenseChangeLimit,
  createTokenAuthentication,
  createTokenRevoker,
  type LicenseChangeLimit,
} from './features/access-tokens/index.ts';
import {
  type CancelRunsOfUser,
  createAccountService,
  createAuthProvider,
  createConfirmationService,
  createCsrfTokens,
  createKnownDevices,
  createOneTimeLinks,
  createPasskeyService,
  createPasswordService,
  createPasswordThrottle,
  createSecondFactorService,
  createSessionService,
  createSettingsService,
  createSetupService,
  createSignInChallenges,
  createSignInService,
  createUserService,
  type PasswordHashing,
  passwordHashing,
} from './features/accounts/index.ts';
import {
  type AuditMonitor,
  type AuditService,
  createAcceptAuditHead,
  createAuditChain,
  createAuditDetach,
  createAuditHashes,
  createAuditHead,
  createAuditLog,
  createAuditMonitor,
  createAuditService,
  createRepeatedEvents,
  createSiteHistoryService,
  openHeadFile,
  type RepeatedEvents,
} from './features/audit/index.ts';
import { createBackupService } from './features/backup/index.ts';
import {
  createClientLogoService,
  createClientService,
  createMembershipService,
} from './features/clients/index.ts';
import { createReachabilityService } from './features/health/index.ts';
import {
  createActivationService,
  createCheckService,
  createEnrolmentCodeService,
  createKeyRevealService,
  createKeyRotationService,
  createLicenseListService,
  createLicenseService,
  createPlanService,
  createSiteArchiveService,
  createSiteAuthentication,
  createUsageService,
} from './features/licenses/index.ts';
import {
  createChannelService,
  createDeliveryLog,
  createEmailSettingsService,
  createNotificationOutbox,
} from './features/notifications/index.ts';
import { createOverviewService } from './features/overview/index.ts';
import { createPackageService } from './features/packages/index.ts';
import { createPreflightService } from './features/preflight/index.ts';
import { createItemErrorService, createWatchService } from './features/release-health/index.ts';
import {
  createRolloutGuard,
  createRolloutService,
  type RolloutService,
} from './features/rollouts/index.ts';
import { createQuarantineService, createRuleService } from './features/rules/index.ts';
import {
  cancelRuns,
  createRunPreviewService,
  createUpdatePlanService,
} from './features/runs/index.ts';
import { createSavedViewService } from './features/saved-views/index.ts';
import { createScheduleService } from './features/schedules/index.ts';
import { createServiceCatalogue } from './features/services/index.ts';
import { createSigningKeyService } from './features/signing-keys/index.ts';
import { createSiteAccessService } from './features/site-access/index.ts';
import {
  createCallLogService,
  createCheckedPagesService,
  createEndpointApprovalService,
  createSiteListService,
  createSiteService,
  createSiteUseService,
  createTagService,
  createWebLoginService,
  deleteOldReports,
} from './features/sites/index.ts';
import {
  createSoftwareService,
  createVersionHistoryService,
  forgetVersions,
} from './features/software/index.ts';
import {
  createPluginUpdateService,
  createWordPressPluginService,
  findShippedPluginVersion,
} from './features/wordpress-plugin/index.ts';
import { createHousekeeping } from './housekeeping.ts';
import type { Clock } from './platform/clock.ts';
import type { DatabaseConnection } from './platform/database/connect.ts';
import type { LoadMonitor } from './platform/load-monitor.ts';
import type { Logger } from './platform/logger.ts';
import type { Secrets } from './platform/secrets.ts';

export type ServiceDependencies = Omit<DatabaseConnection, 'close'> & {
  secrets: Secrets;
  clock: Clock;
  load: LoadMonitor;
  log: Logger;
  /** Holds the sealed head of the audit log. */
  dataDir: string;
  /** The public address of the panel; cookies are issued for it. */
  baseUrl: string;
  /** New sites per day of a license without a site limit. */
  newSitesPerDay: number;
  /** How long real requests are watched after an update. */
  watchHours: number;
  /** The base URL of links. */
  getPanelUrl(): string;
  hashing?: PasswordHashing;
};

export type Services = ReturnType<typeof createServices>;

/** Creates the services of all features, for the server, the worker and the command line. */
export function createServices(deps: ServiceDependencies) {
  const { db, pool, directPool, readDb, secrets, clock, load, log, dataDir, newSitesPerDay } = deps;
  const hashes = createAuditHashes(secrets);
  const audit = createAuditService({ clock, hashes });
  const repeatedEvents = createRepeatedEvents({ db, clock, audit });
  const notificationOutbox = createNotificationOutbox({ clock });
  const file = openHeadFile(dataDir, secrets);
  const auditHead = createAuditHead({ db, hashes, file, clock, log });
  const auditChain = createAuditChain({ db, hashes, head: auditHead });
  const auditMonitor = createAuditMonitor({
    ...{ db, hashes, clock, log },
    head: auditHead,
    announce: ({ problem, record_id, message }) =>
      db.transaction().execute((trx) =>
        notificationOutbox.emit(trx, {
          type: 'audit.verification_failed',
          // An alarm that remains is announced again each month.
          key: `audit.verification_failed ${problem} ${record_id} ${clock.now().toISOString().slice(0, 7)}`,
          data: { reason: message },
        }),
      ),
  });
  const services = createServiceCatalogue({ db });
  const sites = createSiteService({ db, clock });
  const siteUse = createSiteUseService({ db, clock });
  const itemErrors = createItemErrorService({ db, clock });
  const plans = createPlanService({ db, clock, audit, services });
  const signingKeys = createSigningKeyService({ db, secrets, clock, audit });
  const callLog = createCallLogService({
    ...{ db, clock, audit, repeatedEvents },
    nonces: signingKeys,
  });
  const quarantine = createQuarantineService({ db, clock, audit, notificationOutbox });
  const licenseChanges = createLicenseChangeLimit({ clock });
  const { links, hashing, ...accounts } = createAccountServices(
    deps,
    audit,
    repeatedEvents,
    (trx, userId, origin) =>
      cancelRuns(
        trx,
        { userId },
        { origin, reason: 'user_disabled' },
        { clock, audit, notificationOutbox },
      ),
  );
  const rollouts = createRolloutService({
    ...{ db, clock, audit, quarantine, notificationOutbox },
    ...accounts,
  });
  const licenses = createLicenseService({
    ...{ db, secrets, clock, audit, services, plans, licenseChanges },
  });
  return {
    audit,
    repeatedEvents,
    housekeeping: createHousekeeping(
      {
        repeatedEvents: repeatedEvents.recordEndedDays,
        siteUse: siteUse.deleteOld,
        itemErrors: itemErrors.deleteOld,
        oldReports: () => deleteOldReports({ db, clock, forgetVersions }),
        passwordAttempts: accounts.throttle.deleteExpired,
        challenges: accounts.passkeys.deleteExpiredChallenges,
      },
      log,
    ),
    notificationOutbox,
    rules: createRuleService({ db, clock, audit }),
    quarantine,
    watches: createWatchService({ clock, watchHours: deps.watchHours }),
    guardRollouts: createRolloutGuard({ clock, audit, notificationOutbox, quarantine }),
    rollouts,
    schedules: createScheduleService({ db, clock, audit, notificationOutbox }),
    notificationChannels: createChannelService({ db, secrets, clock, audit }),
    emailSettings: createEmailSettingsService({ db, clock }),
    deliveryLog: createDeliveryLog({ db }),
    sites,
    auditHead,
    auditChain,
    auditMonitor,
    acceptAuditHead: createAcceptAuditHead({ db, audit, chain: auditChain, head: auditHead }),
    auditDetach: createAuditDetach({ db, clock, hashes, audit, chain: auditChain }),
    auditLog: createAuditLog({ db: readDb }),
    backups: createBackupService({ db, directPool, secrets, clock, audit }),
    signingKeys,
    callLog,
    services,
    plans,
    licenses,
    setup: createSetupService({
      ...{ db, clock, audit, links, users: accounts.users, hashing },
      createFirstLicense: licenses.createFirst,
    }),
    activations: createActivationService({
      ...{ db, secrets, clock, audit, sites, callLog, siteUse, repeatedEvents },
      ...{ notificationOutbox, newSitesPerDay, licenseChanges },
    }),
    usage: createUsageService({ db, audit }),
    siteArchive: createSiteArchiveService({ db, clock, audit, sites }),
    checks: createCheckService({
      ...{ db, pool, secrets, clock, load, sites, audit, callLog },
      ...{ siteUse, repeatedEvents, itemErrors },
    }),
    pluginUpdates: createPluginUpdateService({
      ...deps,
      signingKeys,
      siteAuthentication: createSiteAuthentication({ db, secrets, clock }),
    }),
    links,
    ...accounts,
    ...createScreenServices(deps, audit, licenseChanges, { auditMonitor, rollouts }),
  };
}

function createAccountServices(
  deps: ServiceDependencies,
  audit: AuditService,
  repeatedEvents: RepeatedEvents,
  cancelRunsOfUser: CancelRunsOfUser,
) {
  const { db, clock, secrets, hashing = passwordHashing } = deps;
  const links = createOneTimeLinks(deps);
  const throttle = createPasswordThrottle({ db, clock, secrets, repeatedEvents });
  const passwords = createPasswordService({ db, clock, audit, links, throttle, hashing });
  const users = createUserService({
    db,
    clock,
    audit,
    links,
    passwords,
    hashing,
    cancelRunsOfUser,
    revokeTokensOfUser: createTokenRevoker({ clock, audit }),
  });
  const authProvider = createAuthProvider({ ...deps, hashing });
  const csrf = createCsrfTokens({ secrets });
  const sessions = createSessionService({ db, clock, audit, authProvider, csrf });
  const secondFactors = createSecondFactorService({ db, clock, secrets, audit, throttle });
  const challenges = createSignInChallenges(deps);
  const devices = createKnownDevices(deps);
  const passkeys = createPasskeyService({ ...deps, audit });
  const shared = { db, clock, audit, repeatedEvents, throttle, secondFactors, passkeys };
  const siteAccess = createSiteAccessService({ db, clock, audit, users });
  return {
    throttle,
    passwords,
    users,
    account: createAccountService({ db, clock, audit, links }),
    settings: createSettingsService({ db, audit, getPanelUrl: deps.getPanelUrl }),
    secondFactors,
    passkeys,
    sessions,
    confirmation: createConfirmationService({ ...shared, passwords }),
    signIns: createSignInService({ ...shared, authProvider, sessions, challenges, devices }),
    links,
    hashing,
    siteAccess,
    accessTokens: createAccessTokenService({ db, clock, audit, users, siteAccess }),
    savedViews: createSavedViewService({ db }),
    tokenAuthentication: createTokenAuthentication({ db, clock }),
  };
}

/**
 * Services for the screens. The worker and the command line use some of them too. Those for lists and for the overview
 * read from `readDb`.
 */
function createScreenServices(
  deps: ServiceDependencies,
  audit: AuditService,
  licenseChanges: LicenseChangeLimit,
  forOverview: { auditMonitor: AuditMonitor; rollouts: RolloutService },
) {
  const { db, readDb, clock, secrets } = deps;
  const licenseList = createLicenseListService({ db: readDb, clock });
  const enrolmentCodes = createEnrolmentCodeService({
    ...{ db, secrets, clock, audit, licenseChanges },
    getPanelUrl: deps.getPanelUrl,
  });
  const packages = createPackageService({ ...deps, audit });
  const software = createSoftwareService({ db: readDb, clock, packages });
  const shippedPluginVersion = findShippedPluginVersion();
  const siteList = createSiteListService({ db, readDb, clock, shippedPluginVersion });
  const memberships = createMembershipService({ db, clock, audit });
  return {
    licenseList,
    enrolmentCodes,
    keyRotation: createKeyRotationService({ db, secrets, clock, audit }),
    keyReveal: createKeyRevealService({ db, secrets, audit }),
    siteList,
    runPreview: createRunPreviewService({ db, clock, shippedPluginVersion }),
    siteHistory: createSiteHistoryService({ db: readDb }),
    software,
    versionHistory: createVersionHistoryService({ db: readDb, clock }),
    updatePlan: createUpdatePlanService({ db, clock, siteList }),
    reachability: createReachabilityService({ db, clock }),
    preflight: createPreflightService({ db, clock }),
    tags: createTagService({ db, audit, clock }),
    memberships,
    clients: createClientService({ db, clock, audit, memberships }),
    clientLogos: createClientLogoService({ db, audit }),
    endpointApproval: createEndpointApprovalService({ db, audit }),
    webLogin: createWebLoginService({ db, secrets, audit }),
    checkedPages: createCheckedPagesService({ db, audit }),
    overview: createOverviewService({
      db: readDb,
      clock,
      licenses: licenseList,
      software,
      ...forOverview,
      shippedPluginVersion,
    }),
    packages,
    wordpressPlugin: createWordPressPluginService({ ...deps, enrolmentCodes }),
  };
}
