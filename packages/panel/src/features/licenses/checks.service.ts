import type { Activation, CheckRequest, License, VerifyRequest } from '@steward/contract';
import type pg from 'pg';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import { createBatcher } from '../../platform/batcher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { isTransientError } from '../../platform/database/is-transient-error.ts';
import { createLimiter, createLimiterByKey } from '../../platform/limiter.ts';
import type { LoadMonitor } from '../../platform/load-monitor.ts';
import { pickChanges } from '../../platform/pick-changes.ts';
import { hashToken, type Secrets } from '../../platform/secrets.ts';
import type { AuditService, RepeatedEvents } from '../audit/index.ts';
import type { ItemErrorService } from '../release-health/index.ts';
import type {
  CallLogService,
  SiteCredential,
  SiteService,
  SiteUseService,
} from '../sites/index.ts';
import { credentialOf } from './activate-site.ts';
import {
  type ActivationRecord,
  findActivation,
  storeCurrentKey,
  updateActivation,
} from './activations.repository.ts';
import { type CheckIn, type CheckInRow, recordCheckIns } from './checks.repository.ts';
import { hasSwitchedKey, type LicenseKeys } from './key-rule.ts';
import { addCapabilities } from './known-capabilities.ts';
import {
  type ActiveLicenseOnSite,
  assertActive,
  assertKeyOfSite,
  type LicenseOnSite,
} from './license-assertions.ts';
import { findLicenseOnSite } from './license-on-site.repository.ts';
import { toActivation, toLicense } from './license-view.ts';
import { nextCheckInSeconds } from './next-check-in.ts';
import { acceptsToken, parseKey, parseSiteUrl, type RequestKey } from './parse-request.ts';
import { buildUnknownKeyError } from './unknown-key-error.ts';

type CheckResult = {
  license: License;
  activation: Activation;
  enabled_services: string[];
  next_check_in: number;
};

type VerifyResult = CheckResult & { call_log?: { acknowledged: number } };

export type CheckService = {
  check(request: CheckRequest): Promise<CheckResult>;
  verify(request: VerifyRequest, origin: AuditOrigin): Promise<VerifyResult>;
};

type Dependencies = {
  db: Database;
  pool: pg.Pool;
  secrets: Secrets;
  clock: Clock;
  load: LoadMonitor;
  sites: SiteService;
  audit: AuditService;
  repeatedEvents: Pick<RepeatedEvents, 'countRefusals'>;
  siteUse: Pick<SiteUseService, 'count' | 'assertReportLeft'>;
  callLog: Pick<CallLogService, 'receive'>;
  itemErrors: Pick<ItemErrorService, 'receive'>;
};

/** Where a report belongs. `isChanged`: it has already changed the row of the site. */
type ReportTarget = {
  record: ActivationRecord;
  license: LicenseKeys;
  key: RequestKey;
  credential: SiteCredential;
  isChanged: boolean;
};

const MAX_BATCH_SIZE = 256;
/** Less than a site waits for the response. */
const REPORT_WAIT_MS = 10_000;

export function createCheckService(deps: Dependencies): CheckService {
  const {
    db,
    pool,
    secrets,
    clock,
    load,
    sites,
    audit,
    repeatedEvents,
    siteUse,
    callLog,
    itemErrors,
  } = deps;

  // A large report takes seconds. Others wait without a connection of the pool: a hostile site, or the sites of a hostile
  // holder of a license key, could take all connections.
  const oneOfSite = createLimiterByKey<number>(1);
  const inTotal = createLimiter(Math.max(1, Math.floor(pool.options.max / 2)));

  const checkIns = createBatcher<CheckIn, CheckInRow | undefined>({
    run: (batch) => recordCheckIns(pool, batch, clock.now()),
    // A batch contains a site only once. The address identifies the site, because it may check in with two keys at
    // the same time.
    keyOf: ({ canonical_url }) => canonical_url,
    maxBatchSize: MAX_BATCH_SIZE,
    isItemError: (error) => !isTransientError(error),
  });

  return {
    async check(request) {
      const site = parseSiteUrl(request.site_url);
      const { activation_token: token } = request;
      const key = parseKey(request.license_key, secrets);
      const row = await checkIns.submit({
        key_hash: key.hash,
        is_site_key: key.isSiteKey,
        canonical_url: site.canonical,
        token_hash: token === undefined ? null : hashToken(token),
        cms_version: request.cms_version,
        php_version: request.php_version,
        plugin_version: request.plugin_version,
        environment: request.environment ?? null,
      });
      const licenseOnSite = row?.is_key_accepted ? toLicenseOnSite(row) : undefined;
      if (!licenseOnSite) throw await buildUnknownKeyError(db, key, site.canonical);
      const now = clock.now();
      assertActive(licenseOnSite, now);
      if (row?.has_switched_key) {
        await storeCurrentKey(db, licenseOnSite.activation.site_id, key.hash);
      }
      return toCheckResult(licenseOnSite, now);
    },

    async verify(request, origin) {
      const site = parseSiteUrl(request.site_url);
      const key = parseKey(request.license_key, secrets);
      const now = clock.now();
      const found = await findLicenseOnSite(db, key, site.canonical, now);
      if (!found) throw await buildUnknownKeyError(db, key, site.canonical);
      const licenseOnSite = {
        license: found.license,
        activation: found.activation && {
          ...found.activation,
          tokenMatches: acceptsToken(found.activation, request.activation_token),
        },
      };
      if (licenseOnSite.activation) {
        assertKeyOfSite(key, licenseOnSite.license, licenseOnSite.activation, now);
      }
      assertActive(licenseOnSite, now);
      const { license, activation: record } = licenseOnSite;
      const result = toCheckResult(licenseOnSite, now);

      const credential = credentialOf(key, record.site_id);
      const store = async (trx: Trx) => {
        // Lock order: write the site row before the activation row, as `activate` does. Another order could deadlock.
        // The address comes from the activation, not from the request. The two may differ in scheme and `www.`, and the
        // panel must not send the key to another origin.
        const report = {
          endpointUrl: request.endpoint_url,
          inventory: request.inventory,
          preflight: request.preflight,
          backupState: request.backup_state,
          timeZone: request.time_zone,
        };
        const address = parseSiteUrl(record.site_url);
        const isChanged = await sites.storeReport(trx, record.site_id, address, report, () =>
          siteUse.assertReportLeft(trx, credential),
        );
        // Read again: while `storeReport` waited for the site row, an overlapping request may have changed or ended the
        // activation, or replaced the license key of this site with a site key.
        const current = await findActivation(trx, license.id, site.canonical);
        if (current?.status !== 'active') throw new AppError('site_not_activated');
        assertKeyOfSite(key, license, current, now);
        // If the site key was replaced since the lookup above, the call log belongs to the previous key. Ignore it.
        const hasCurrentSiteKey =
          current.site_key_hash?.equals(Buffer.from(key.hash, 'hex')) ?? false;
        const callLogResult = hasCurrentSiteKey
          ? await receiveCallLog(trx, current, request, origin)
          : {};
        const target = { record: current, license, key, credential, isChanged };
        await storeActivationChanges(trx, request, target, origin);
        await storeItemErrors(trx, request, target);
        return { ...result, ...callLogResult };
      };
      const save = () => repeatedEvents.countRefusals(() => db.transaction().execute(store));
      const stored = await oneOfSite(
        record.site_id,
        () => inTotal(save, REPORT_WAIT_MS),
        REPORT_WAIT_MS,
      );
      if (!stored) throw buildBusyError();
      return stored;
    },
  };

  /** Stores the fields of the report that belong to the activation, and counts the report if it changed something. */
  async function storeActivationChanges(
    trx: Trx,
    request: VerifyRequest,
    { record, license, key, credential, isChanged }: ReportTarget,
    origin: AuditOrigin,
  ): Promise<void> {
    const { site_id } = record;
    const changes = pickActivationChanges(request, record);
    await updateActivation(trx, site_id, changes);
    if (hasSwitchedKey(key, license, record, clock.now())) {
      await storeCurrentKey(trx, site_id, key.hash);
    }
    const isAudited = changes.accepts_unsigned_calls !== undefined;
    if (isChanged || Object.keys(changes).length > 0) {
      const use = { changed_reports: 1, audited_changes: isAudited ? 1 : 0 };
      await siteUse.count(trx, credential, use);
    }
    if (isAudited) {
      await audit.record(trx, origin, {
        action: changes.accepts_unsigned_calls ? 'accept_unsigned_calls' : 'require_signed_calls',
        entityType: 'activation',
        entityId: site_id,
        siteId: site_id,
      });
    }
  }

  /**
   * Stores the errors of the report. Limits the reports that a site sends at once, without its inventory, and those that
   * change only errors.
   */
  async function storeItemErrors(
    trx: Trx,
    { item_errors: errors, inventory }: VerifyRequest,
    { record: { site_id }, credential, isChanged }: ReportTarget,
  ): Promise<void> {
    if (errors === undefined) return;
    if (!inventory) await siteUse.count(trx, credential, { error_reports: 1 });
    const hasSiteKey = credential.credential === 'site_key';
    const hasNewErrors = await itemErrors.receive(trx, site_id, errors, { hasSiteKey });
    if (inventory && hasNewErrors && !isChanged) {
      await siteUse.count(trx, credential, { changed_reports: 1 });
    }
  }

  /** Call this only for a report with the current site key: any holder of the license key could report a false log. */
  async function receiveCallLog(
    trx: Trx,
    { site_id: siteId, site_url, accepts_unsigned_calls }: ActivationRecord,
    { call_log: report, ...request }: VerifyRequest,
    origin: AuditOrigin,
  ): Promise<Pick<VerifyResult, 'call_log'>> {
    if (report === undefined) return {};
    // The setting may have changed between the logged calls. Allow unsigned calls if the stored or the reported value
    // allows them.
    const acceptsUnsignedCalls = accepts_unsigned_calls || request.accepts_unsigned_calls === true;
    const site = { siteId, canonicalUrl: parseSiteUrl(site_url).canonical, acceptsUnsignedCalls };
    const acknowledged = await callLog.receive(trx, site, report, origin);
    return acknowledged === null ? {} : { call_log: { acknowledged } };
  }

  function toCheckResult({ license, activation }: ActiveLicenseOnSite, now: Date): CheckResult {
    return {
      license: toLicense(license, now),
      activation: toActivation(activation),
      enabled_services: license.services,
      next_check_in: nextCheckInSeconds(Math.random(), load.utilization()),
    };
  }
}

const buildBusyError = () =>
  new AppError('rate_limited', {
    message: 'Steward is still storing other reports. Nothing was changed. Try again in a minute.',
    retryAfterSeconds: 60,
  });

function pickActivationChanges(request: VerifyRequest, record: ActivationRecord) {
  const { cms_version, php_version, plugin_version, environment } = request;
  // A site without a site key cannot require signed calls.
  const accepts_unsigned_calls = record.site_key_hash ? request.accepts_unsigned_calls : undefined;
  const reported = {
    cms_version,
    php_version,
    plugin_version,
    environment,
    accepts_unsigned_calls,
  };
  const capabilities = addCapabilities(record.capabilities, request.capabilities);
  const hasAdded = capabilities.some((name) => !record.capabilities.includes(name));
  return {
    ...pickChanges<Partial<ActivationRecord>>(reported, record),
    ...(hasAdded && { capabilities }),
  };
}

function toLicenseOnSite(row: CheckInRow): LicenseOnSite {
  const license = { ...row, status: row.license_status };
  if (row.site_id === null) return { license, activation: null };
  const { site_id, site_url, counted, activated_at, last_check_at } = row;
  return {
    license,
    activation: {
      site_id,
      site_url,
      counted,
      activated_at,
      last_check_at,
      status: row.activation_status,
      tokenMatches: row.token_matches,
    },
  };
}
