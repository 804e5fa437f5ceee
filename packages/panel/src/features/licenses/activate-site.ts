import { type ActivateRequest, isUncountedHost, type SiteUrl } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import { type CallLogService, parseStandardEndpoint, type SiteService } from '../sites/index.ts';
import {
  type ActivationRecord,
  updateActivation,
  upsertActivation,
} from './activations.repository.ts';
import { saveEnrolment } from './enrolments.repository.ts';
import { assertFreeSeat } from './free-seat.ts';
import { createSiteKey, createToken, wantsSiteKey } from './issue-credentials.ts';
import { assertCurrentKey, assertValid, hasOldKey, isOldKey } from './license-assertions.ts';
import type { LicenseRecord } from './licenses.repository.ts';
import { matchesToken, parseSiteUrl, type RequestKey } from './parse-request.ts';

/** The credentials that the site stores. */
export type IssuedCredentials = {
  activation_token: string;
  site_key?: string;
  is_proof_pending?: true;
};

export type ActivationDependencies = {
  db: Database;
  secrets: Secrets;
  clock: Clock;
  audit: AuditService;
  sites: SiteService;
  callLog: Pick<CallLogService, 'start'>;
};

/** A request that holds the lock of its license: two activations must not both take the last seat. */
export type LockedRequest = {
  license: LicenseRecord;
  site: SiteUrl;
  key: RequestKey;
  known: ActivationRecord | undefined;
  now: Date;
};

/**
 * Activates the license on a site, or refreshes its activation.
 *
 * The license key is on many sites, so it does not prove which site the caller is. Neither does the token of a site
 * without a site key: the panel returns it to every caller that activates the site again. A site with a site key can be
 * changed only with that key or its token. Any other caller, and a site that requests a site key, gets a token and a
 * key that are not valid until the site at the address has proven that it has them.
 */
export async function activateSite(
  trx: Trx,
  request: ActivateRequest,
  locked: LockedRequest,
  origin: Origin,
  deps: ActivationDependencies,
): Promise<IssuedCredentials> {
  const { license, key, known, now } = locked;
  assertValid(license, now);
  if (known?.status !== 'active') {
    // An owner may have disconnected the site. The site key must not activate it again.
    if (key.isSiteKey) throw new AppError('site_not_activated');
    assertCurrentKey(key, license);
    return activate(trx, request, locked, origin, deps);
  }
  const { activation_token: token } = request;
  if (!matchesToken(known, token)) throw new AppError('invalid_activation_token');
  if (!hasOldKey(known, now)) assertCurrentKey(key, license);
  const hasSiteKey = known.site_key_hash !== null;
  const isKeyRequested = wantsSiteKey(request.capabilities);
  // The site would store the license key, which is no longer valid for it.
  if (hasSiteKey && !isKeyRequested && !key.isSiteKey) throw new AppError('site_has_own_key');
  const isSiteItself = key.isSiteKey || (hasSiteKey && token !== undefined);
  return isSiteItself || !isKeyRequested
    ? refresh(trx, request, { ...locked, known }, origin, deps)
    : enrolAgain(trx, request, { ...locked, known }, origin, deps);
}

type Known = LockedRequest & { known: ActivationRecord };

async function activate(
  trx: Trx,
  request: ActivateRequest,
  { license, site, key, known, now }: LockedRequest,
  origin: Origin,
  { secrets, sites, audit, callLog }: ActivationDependencies,
): Promise<IssuedCredentials> {
  const counted = !isUncountedHost(site.host);
  await assertFreeSeat(trx, license, { counted, siteId: known?.site_id ?? null, now });
  const { endpoint_url: endpointUrl } = request;
  const siteId = await sites.register(trx, license.id, site, { endpointUrl, isNew: true });
  const token = createToken(secrets);
  const issuedKey = wantsSiteKey(request.capabilities) ? createSiteKey(secrets) : null;
  if (issuedKey) await callLog.start(trx, siteId, request.capabilities ?? []);
  await upsertActivation(trx, {
    ...versionsOf(request),
    ...token.columns,
    license_key_encrypted: issuedKey ? null : secrets.encrypt(key.canonical, 'license_key'),
    ...(issuedKey?.columns ?? { site_key_hash: null, site_key_encrypted: null }),
    capabilities: request.capabilities ?? [],
    environment: request.environment ?? 'production',
    site_id: siteId,
    license_id: license.id,
    status: 'active',
    counted,
    activated_at: now,
    deactivated_at: null,
    proven_at: null,
    key_ends_at: null,
    accepts_unsigned_calls: false,
  });
  const context = { counted };
  await audit.record(trx, origin, activationRecord('activate', { siteId, license, site, context }));
  return { activation_token: token.token, ...(issuedKey && { site_key: issuedKey.siteKey }) };
}

async function refresh(
  trx: Trx,
  request: ActivateRequest,
  { license, site, key, known }: Known,
  origin: Origin,
  { secrets, sites, audit }: ActivationDependencies,
): Promise<IssuedCredentials> {
  const address = withoutDowngrade(site, known);
  const { endpoint_url: endpointUrl } = request;
  const siteId = await sites.register(trx, license.id, address, { endpointUrl });
  const hasMoved = address.given !== known.site_url;
  await updateActivation(trx, siteId, {
    ...versionsOf(request),
    environment: request.environment ?? 'production',
    // Capabilities never shrink: a site must not return to the license key by omitting one.
    capabilities: [...new Set([...known.capabilities, ...(request.capabilities ?? [])])],
    ...(known.site_key_hash === null && {
      license_key_encrypted: secrets.encrypt(key.canonical, 'license_key'),
      ...(!isOldKey(key, license.key_hash) && { key_ends_at: null }),
    }),
    ...(hasMoved && { proven_at: null }),
  });
  if (hasMoved) {
    const context = { before: known.site_url, after: address.given };
    const subject = { siteId, license, site: address, context };
    await audit.record(trx, origin, activationRecord('change_address', subject));
  }
  const encryptedKey = known.site_key_encrypted;
  const siteKey = encryptedKey && secrets.decrypt(encryptedKey, 'site_key');
  return {
    activation_token: secrets.decrypt(known.token_encrypted, 'activation_token'),
    ...(siteKey && wantsSiteKey(request.capabilities) && { site_key: siteKey }),
  };
}

/** The caller is a new installation, a site that has used the license key so far, or a thief of that key. */
async function enrolAgain(
  trx: Trx,
  request: ActivateRequest,
  { license, site, known, now }: Known,
  origin: Origin,
  { secrets, audit }: ActivationDependencies,
): Promise<IssuedCredentials> {
  const [token, issuedKey] = [createToken(secrets), createSiteKey(secrets)];
  const { site_id: siteId } = known;
  await saveEnrolment(trx, {
    site_id: siteId,
    ...token.columns,
    ...issuedKey.columns,
    capabilities: request.capabilities ?? [],
    endpoint_url: parseStandardEndpoint(request.endpoint_url, parseSiteUrl(known.site_url)),
    created_at: now,
  });
  await audit.record(trx, origin, activationRecord('enrol_again', { siteId, license, site }));
  return {
    activation_token: token.token,
    site_key: issuedKey.siteKey,
    is_proof_pending: true,
  };
}

function versionsOf({ cms_version, php_version, plugin_version }: ActivateRequest) {
  return { cms_version, php_version, plugin_version };
}

/** Keeps https until an owner disconnects the site: over http, the key would be sent in clear text. */
function withoutDowngrade(site: SiteUrl, known: ActivationRecord): SiteUrl {
  const before = parseSiteUrl(known.site_url);
  const isDowngrade = isSecure(before) && !isSecure(site);
  return isDowngrade ? before : site;
}

const isSecure = ({ origin }: SiteUrl) => origin.startsWith('https:');

type RecordSubject = {
  siteId: number;
  license: LicenseRecord;
  site: SiteUrl;
  context?: Record<string, unknown>;
};

export function activationRecord(
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
