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
  openActivation,
  updateActivation,
} from './activations.repository.ts';
import { newSiteKey, newToken, wantsSiteKey } from './credentials.ts';
import { saveEnrolment } from './enrolments.repository.ts';
import { assertFreeSeat } from './free-seat.ts';
import { isTokenOf, type RequestKey, siteOf } from './identify.ts';
import type { LicenseRecord } from './licenses.repository.ts';
import { assertCurrentKey, assertValid, hasOldKey, isOldKey } from './standing.ts';

/** What the site stores after it was activated. */
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

/** A request under the lock of its license: two activations must not both see the last slot. */
export type LockedRequest = {
  license: LicenseRecord;
  site: SiteUrl;
  key: RequestKey;
  known: ActivationRecord | undefined;
  now: Date;
};

/**
 * Puts the license on a site, or refreshes what is known of it.
 *
 * The license key is on many sites, so it is no proof of being one of them. Nor is the token of a site without a
 * key of its own: the panel gives it to every caller that activates the site again. A site that has its own key is changed only by
 * itself, with that key or its token. Any other caller, and a site that is to get its own key, is given a token and a
 * key that open nothing until the site at the address has proven to have them.
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
    // An owner may have released the site. Its own key does not bring it back.
    if (key.isSiteKey) throw new AppError('site_not_activated');
    assertCurrentKey(key, license);
    return open(trx, request, locked, origin, deps);
  }
  const { activation_token: token } = request;
  if (!isTokenOf(known, token)) throw new AppError('invalid_activation_token');
  if (!hasOldKey(known, now)) assertCurrentKey(key, license);
  const hasSiteKey = known.site_key_hash !== null;
  const wants = wantsSiteKey(request.capabilities);
  // It would store the license key, which opens nothing for it any more.
  if (hasSiteKey && !wants && !key.isSiteKey) throw new AppError('site_has_own_key');
  const isItself = key.isSiteKey || (hasSiteKey && token !== undefined);
  return isItself || !wants
    ? refresh(trx, request, { ...locked, known }, origin, deps)
    : enrolAgain(trx, request, { ...locked, known }, origin, deps);
}

type Known = LockedRequest & { known: ActivationRecord };

async function open(
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
  const token = newToken(secrets);
  const ownKey = wantsSiteKey(request.capabilities) ? newSiteKey(secrets) : null;
  if (ownKey) await callLog.start(trx, siteId, request.capabilities ?? []);
  await openActivation(trx, {
    ...reportedBy(request),
    ...token.columns,
    license_key_encrypted: ownKey ? null : secrets.encrypt(key.canonical, 'license_key'),
    ...(ownKey?.columns ?? { site_key_hash: null, site_key_encrypted: null }),
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
  await audit.record(
    trx,
    origin,
    recordOfActivation('activate', { siteId, license, site, context }),
  );
  return { activation_token: token.token, ...(ownKey && { site_key: ownKey.siteKey }) };
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
    ...reportedBy(request),
    environment: request.environment ?? 'production',
    // They never shrink: leaving some out is no way back to the license key.
    capabilities: [...new Set([...known.capabilities, ...(request.capabilities ?? [])])],
    ...(known.site_key_hash === null && {
      license_key_encrypted: secrets.encrypt(key.canonical, 'license_key'),
      ...(!isOldKey(key, license.key_hash) && { key_ends_at: null }),
    }),
    ...(hasMoved && { proven_at: null }),
  });
  if (hasMoved) {
    const context = { before: known.site_url, after: address.given };
    const about = { siteId, license, site: address, context };
    await audit.record(trx, origin, recordOfActivation('change_address', about));
  }
  const sealed = known.site_key_encrypted;
  const siteKey = sealed && secrets.decrypt(sealed, 'site_key');
  return {
    activation_token: secrets.decrypt(known.token_encrypted, 'activation_token'),
    ...(siteKey && wantsSiteKey(request.capabilities) && { site_key: siteKey }),
  };
}

/** The caller is a fresh install, a site that had the license key so far, or a thief of that key. */
async function enrolAgain(
  trx: Trx,
  request: ActivateRequest,
  { license, site, known, now }: Known,
  origin: Origin,
  { secrets, audit }: ActivationDependencies,
): Promise<IssuedCredentials> {
  const [token, ownKey] = [newToken(secrets), newSiteKey(secrets)];
  const { site_id: siteId } = known;
  await saveEnrolment(trx, {
    site_id: siteId,
    ...token.columns,
    ...ownKey.columns,
    capabilities: request.capabilities ?? [],
    endpoint_url: parseStandardEndpoint(request.endpoint_url, siteOf(known.site_url)),
    created_at: now,
  });
  await audit.record(trx, origin, recordOfActivation('enrol_again', { siteId, license, site }));
  return {
    activation_token: token.token,
    site_key: ownKey.siteKey,
    is_proof_pending: true,
  };
}

function reportedBy({ cms_version, php_version, plugin_version }: ActivateRequest) {
  return { cms_version, php_version, plugin_version };
}

/** From https to http only after an owner has released the site: the key would travel in clear. */
function withoutDowngrade(site: SiteUrl, known: ActivationRecord): SiteUrl {
  const before = siteOf(known.site_url);
  const isDowngrade = isSecure(before) && !isSecure(site);
  return isDowngrade ? before : site;
}

const isSecure = ({ origin }: SiteUrl) => origin.startsWith('https:');

type About = {
  siteId: number;
  license: LicenseRecord;
  site: SiteUrl;
  context?: Record<string, unknown>;
};

export function recordOfActivation(
  action: 'activate' | 'deactivate' | 'change_address' | 'enrol_again',
  { siteId, license, site, context = {} }: About,
): AuditEntry {
  return {
    action,
    entityType: 'activation',
    entityId: siteId,
    siteId,
    context: { license_id: license.id, site_url: site.canonical, ...context },
  };
}
