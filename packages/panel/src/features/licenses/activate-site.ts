import { type ActivateRequest, isUncountedHost, type SiteUrl } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditEntry, AuditService, RepeatedEvents } from '../audit/index.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import {
  type CallLogService,
  defaultEndpointOf,
  parseStandardEndpoint,
  type SiteCredential,
  type SiteService,
  type SiteUseService,
} from '../sites/index.ts';
import {
  type ActivationRecord,
  updateActivation,
  upsertActivation,
} from './activations.repository.ts';
import { announceReachedLimit } from './announce-licenses.ts';
import { assertNewSiteLeft } from './assert-new-site-left.ts';
import { createSiteKey, createToken, supportsSiteKey } from './create-credentials.ts';
import type { EnrolmentCodeRecord } from './enrolment-codes.repository.ts';
import { saveEnrolment } from './enrolments.repository.ts';
import { isOtherHost, isOtherServer, keepAddress } from './keep-address.ts';
import { hasSwitchedKey, judgeKeyForActivation } from './key-rule.ts';
import { addCapabilities } from './known-capabilities.ts';
import { assertAccepted, assertValid } from './license-assertions.ts';
import type { ActivationState, LicenseUsage } from './license-view.ts';
import type { LicenseRecord } from './licenses.repository.ts';
import { acceptsToken, parseSiteUrl, type RequestKey } from './parse-request.ts';
import { countFreeSeats } from './seat-rule.ts';
import { takeSeat } from './take-seat.ts';

/** The credentials that the site stores. */
export type IssuedCredentials = {
  activation_token: string;
  site_key?: string;
  is_proof_pending?: true;
};

export type ActivatedSite = {
  credentials: IssuedCredentials;
  /** The rows after the write, if they are known. Reading them again would take two statements more. */
  stored?: { license: LicenseUsage; activation: ActivationState };
};

export type ActivationDependencies = {
  db: Database;
  secrets: Secrets;
  clock: Clock;
  audit: AuditService;
  sites: SiteService;
  callLog: Pick<CallLogService, 'startNewLog'>;
  siteUse: Pick<SiteUseService, 'count' | 'countOnly'>;
  repeatedEvents: Pick<RepeatedEvents, 'countRefusals'>;
  /** How many new sites a license without a site limit may connect per day. */
  newSitesPerDay: number;
  notificationOutbox: Pick<NotificationOutbox, 'emit'>;
};

/** A request whose license is locked: two activations must not both take the last seat. */
export type LockedRequest = {
  license: LicenseRecord;
  site: SiteUrl;
  key: RequestKey;
  /** Set if the key is an enrolment code. */
  code: EnrolmentCodeRecord | undefined;
  activation: ActivationRecord | undefined;
  now: Date;
};

/**
 * Activates the license on a site, or refreshes its activation.
 *
 * A license key does not identify a site, because many sites have it. A token identifies a site only if the site has a
 * site key: without one, the panel returns the token to every caller without support for site keys.
 *
 * For an active site:
 * - A caller with the site key refreshes the activation.
 * - A caller without support for site keys refreshes a site without a site key; for a site with one, the panel refuses
 *   it.
 * - A caller with this support and the token of a site with a site key refreshes the activation.
 * - Any other caller with this support gets a new token and site key, valid after the proof of address.
 */
export async function activateSite(
  trx: Trx,
  request: ActivateRequest,
  locked: LockedRequest,
  origin: AuditOrigin,
  deps: ActivationDependencies,
): Promise<ActivatedSite> {
  const { license, key, activation, now } = locked;
  assertValid(license, now);
  if (activation?.status !== 'active') {
    // An owner may have disconnected the site, so the site key alone must not activate it again.
    if (key.isSiteKey) throw new AppError('site_not_activated');
    assertAccepted(judgeKeyForActivation(key, license, activation ?? null, now));
    return createActivation(trx, request, locked, origin, deps);
  }
  const { activation_token: token } = request;
  if (!acceptsToken(activation, token)) throw new AppError('invalid_activation_token');
  assertAccepted(judgeKeyForActivation(key, license, activation, now));
  const hasSiteKey = activation.site_key_hash !== null;
  const canUseSiteKey = supportsSiteKey(request.capabilities);
  // The site would keep the license key, which is no longer valid for it.
  if (hasSiteKey && !canUseSiteKey && !key.isSiteKey) throw new AppError('site_has_own_key');
  const isSiteItself = key.isSiteKey || (hasSiteKey && token !== undefined);
  const change = isSiteItself || !canUseSiteKey ? refreshActivation : enrolAgain;
  return { credentials: await change(trx, request, { ...locked, activation }, origin, deps) };
}

type ActiveSiteRequest = LockedRequest & { activation: ActivationRecord };

async function createActivation(
  trx: Trx,
  request: ActivateRequest,
  { license, site, key, code, activation, now }: LockedRequest,
  origin: AuditOrigin,
  deps: ActivationDependencies,
): Promise<ActivatedSite> {
  const { secrets, sites, audit, callLog, siteUse } = deps;
  const isNewSite = activation === undefined;
  if (isNewSite) assertNewSiteLeft(license, now, deps.newSitesPerDay);
  const counted = !isUncountedHost(site.host);
  const connecting = { counted, siteId: activation?.site_id ?? null, now };
  const updated = await takeSeat(trx, license, connecting);
  const { endpoint_url: endpointUrl, time_zone: timeZone } = request;
  const siteId = await sites.register(trx, license.id, site, {
    endpointUrl,
    timeZone,
    isNewActivation: true,
    hasOtherServer: activation !== undefined && isOtherServer(site, activation),
  });
  const issuedToken = createToken(secrets);
  const issuedKey = supportsSiteKey(request.capabilities) ? createSiteKey(secrets) : null;
  if (issuedKey) await callLog.startNewLog(trx, siteId, request.capabilities ?? []);
  await upsertActivation(trx, {
    ...pickVersions(request),
    ...issuedToken.columns,
    license_key_encrypted: issuedKey ? null : secrets.encrypt(key.canonical, 'license_key'),
    ...(issuedKey?.columns ?? { site_key_hash: null, site_key_encrypted: null }),
    capabilities: addCapabilities([], request.capabilities),
    environment: request.environment ?? 'production',
    site_id: siteId,
    license_id: license.id,
    status: 'active',
    counted,
    activated_at: now,
    deactivated_at: null,
    proven_at: null,
    proven_endpoint_url: null,
    key_ends_at: null,
    accepts_unsigned_calls: false,
  });
  // Seats limit the first activations of sites.
  if (!isNewSite) await siteUse.count(trx, credentialOf(key, siteId), ONE_AUDITED_CHANGE);
  const { site_limit: limit, counted_sites: inUse } = updated;
  if (counted && countFreeSeats({ limit, inUse }) === 0) {
    await announceReachedLimit(trx, license, now, deps.notificationOutbox);
  }
  const context = { counted, ...buildCodeContext(code) };
  await audit.record(
    trx,
    origin,
    buildActivationEntry('activate', { siteId, license, site, context }),
  );
  return {
    credentials: {
      activation_token: issuedToken.token,
      ...(issuedKey && { site_key: issuedKey.siteKey }),
    },
    stored: {
      license: updated,
      activation: {
        site_id: siteId,
        site_url: site.given,
        status: 'active',
        counted,
        activated_at: now,
        last_check_at: activation?.last_check_at ?? null,
      },
    },
  };
}

async function refreshActivation(
  trx: Trx,
  request: ActivateRequest,
  { license, site, key, activation, now }: ActiveSiteRequest,
  origin: AuditOrigin,
  { secrets, sites, audit, siteUse }: ActivationDependencies,
): Promise<IssuedCredentials> {
  const address = keepAddress(site, activation);
  const { endpoint_url: reportedUrl, time_zone: timeZone } = request;
  // An owner can approve this endpoint.
  const endpointUrl =
    reportedUrl ?? (isOtherHost(site, address) ? defaultEndpointOf(site) : undefined);
  const hasOtherServer = isOtherServer(address, activation);
  const report = { endpointUrl, timeZone, hasOtherServer };
  const siteId = await sites.register(trx, license.id, address, report);
  const hasMoved = address.given !== activation.site_url;
  await updateActivation(trx, siteId, {
    ...pickVersions(request),
    environment: request.environment ?? 'production',
    // A refresh only adds capabilities: if it removed one that the request omits, such as `install`, the panel would
    // refuse these runs.
    capabilities: addCapabilities(activation.capabilities, request.capabilities),
    ...(activation.site_key_hash === null && {
      license_key_encrypted: secrets.encrypt(key.canonical, 'license_key'),
      ...(hasSwitchedKey(key, license, activation, now) && { key_ends_at: null }),
    }),
    ...(hasMoved && { proven_at: null, proven_endpoint_url: null }),
  });
  if (hasMoved) {
    await siteUse.count(trx, credentialOf(key, siteId), ONE_AUDITED_CHANGE);
    const context = { before: activation.site_url, after: address.given };
    const subject = { siteId, license, site: address, context };
    await audit.record(trx, origin, buildActivationEntry('change_address', subject));
  }
  const encryptedKey = activation.site_key_encrypted;
  const siteKey = encryptedKey && secrets.decrypt(encryptedKey, 'site_key');
  return {
    activation_token: secrets.decrypt(activation.token_encrypted, 'activation_token'),
    ...(siteKey && supportsSiteKey(request.capabilities) && { site_key: siteKey }),
  };
}

/**
 * Issues credentials that become valid with the proof of address. The caller may be a new installation, a site that has
 * used the license key so far, or an attacker with a stolen license key.
 */
async function enrolAgain(
  trx: Trx,
  request: ActivateRequest,
  { license, site, key, code, activation, now }: ActiveSiteRequest,
  origin: AuditOrigin,
  { secrets, audit, siteUse }: ActivationDependencies,
): Promise<IssuedCredentials> {
  const { site_id: siteId } = activation;
  await siteUse.count(trx, credentialOf(key, siteId), ONE_AUDITED_CHANGE);
  const [issuedToken, issuedKey] = [createToken(secrets), createSiteKey(secrets)];
  await saveEnrolment(trx, {
    site_id: siteId,
    ...issuedToken.columns,
    ...issuedKey.columns,
    capabilities: addCapabilities([], request.capabilities),
    endpoint_url: parseStandardEndpoint(request.endpoint_url, parseSiteUrl(activation.site_url)),
    created_at: now,
  });
  const subject = { siteId, license, site, context: buildCodeContext(code) };
  await audit.record(trx, origin, buildActivationEntry('enrol_again', subject));
  return {
    activation_token: issuedToken.token,
    site_key: issuedKey.siteKey,
    is_proof_pending: true,
  };
}

const ONE_AUDITED_CHANGE = { audited_changes: 1 };

export const credentialOf = (key: RequestKey, siteId: number): SiteCredential => ({
  siteId,
  credential: key.isSiteKey ? 'site_key' : 'license_key',
});

function buildCodeContext(code: EnrolmentCodeRecord | undefined) {
  return code ? { enrolment_code_id: code.id } : {};
}

function pickVersions({ cms_version, php_version, plugin_version }: ActivateRequest) {
  return { cms_version, php_version, plugin_version };
}

type RecordSubject = {
  siteId: number;
  license: LicenseRecord;
  site: SiteUrl;
  context?: Record<string, unknown>;
};

export function buildActivationEntry(
  action: 'activate' | 'deactivate' | 'change_address' | 'enrol_again',
  { siteId, license, site, context = {} }: RecordSubject,
): AuditEntry {
  return {
    action,
    entityType: 'activation',
    entityId: siteId,
    siteId,
    context: { license_id: license.id, site_url: site.canonical, ...context },
  };
}
