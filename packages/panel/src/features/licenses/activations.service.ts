import type { ActivateRequest, Activation, DeactivateRequest, License } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { LicenseChangeLimit } from '../access-tokens/index.ts';
import {
  type ActivationDependencies,
  activateSite,
  credentialOf,
  type IssuedCredentials,
  type LockedRequest,
} from './activate-site.ts';
import {
  findActivation,
  findActivationOfSite,
  findSiteBySiteKey,
} from './activations.repository.ts';
import { assertUsableCode } from './assert-usable-code.ts';
import { deactivateSite } from './deactivate-site.ts';
import { findLicenseIdOfCode, lockCode, markCodeUsed } from './enrolment-codes.repository.ts';
import { judgeKey } from './key-rule.ts';
import { assertAccepted, assertKeyOfSite } from './license-assertions.ts';
import { findLicenseOnSite } from './license-on-site.repository.ts';
import { toActivation, toLicense } from './license-view.ts';
import { findLicense, type LicenseRef, lockLicense } from './licenses.repository.ts';
import {
  acceptsToken,
  parseKey,
  parseKeyOrCode,
  parseSiteUrl,
  type RequestKey,
} from './parse-request.ts';
import { buildUnknownKeyError } from './unknown-key-error.ts';

type LicenseResult = { license: License };
type SiteResult = LicenseResult & { activation: Activation };
export type ActivateResult = SiteResult & IssuedCredentials;

export type ActivationService = {
  validate(licenseKey: string, siteUrl?: string): Promise<LicenseResult | SiteResult>;
  activate(request: ActivateRequest, origin: AuditOrigin): Promise<ActivateResult>;
  deactivate(request: DeactivateRequest, origin: AuditOrigin): Promise<SiteResult>;
  /** Deactivates a site for an owner and frees its seat: a broken site cannot deactivate itself. Idempotent. */
  release(licenseId: number, siteId: number, origin: AuditOrigin): Promise<SiteResult>;
};

export function createActivationService(
  deps: ActivationDependencies & { licenseChanges: LicenseChangeLimit },
): ActivationService {
  const { db, secrets, clock, audit, siteUse, repeatedEvents, licenseChanges } = deps;

  return {
    async validate(licenseKey, siteUrl) {
      const site = siteUrl === undefined ? null : parseSiteUrl(siteUrl);
      const key = parseKey(licenseKey, secrets);
      const now = clock.now();
      if (!site) {
        const license = await findLicense(db, await findLicenseRef(db, key));
        if (!license) throw await buildUnknownKeyError(db, key);
        return { license: toLicense(license, now) };
      }
      const found = await findLicenseOnSite(db, key, site.canonical, now);
      if (!found) throw await buildUnknownKeyError(db, key, site.canonical);
      const { license, activation } = found;
      return {
        license: toLicense(license, now),
        ...(activation && { activation: toActivation(activation) }),
      };
    },

    activate: (request, origin) =>
      withLockedLicense(request, parseKeyOrCode, async (trx, locked) => {
        const { license, site, code, now } = locked;
        const { capabilities } = request;
        if (code) await assertUsableCode(trx, code, { ...locked, capabilities });
        const { credentials, stored } = await activateSite(trx, request, locked, origin, deps);
        const result = stored
          ? { license: toLicense(stored.license, now), activation: toActivation(stored.activation) }
          : await readResult(trx, license.id, site.canonical, now);
        if (code?.used_at === null) {
          await markCodeUsed(trx, code.id, { siteId: result.activation.site_id, now });
        }
        return { ...result, ...credentials };
      }),

    deactivate: (request, origin) =>
      withLockedLicense(request, parseKey, async (trx, locked) => {
        const { license, site, key, activation, now } = locked;
        if (!activation) throw new AppError('site_not_activated');
        assertKeyOfSite(key, license, activation, now);
        if (!acceptsToken(activation, request.activation_token)) {
          throw new AppError('invalid_activation_token');
        }
        if (activation.status === 'active') {
          await deactivateSite(trx, audit, origin, { license, site, activation, now });
          // Never refused: the owner of a site can always disconnect it.
          const credential = credentialOf(key, activation.site_id);
          await siteUse.countOnly(trx, credential, { audited_changes: 1 });
        }
        return readResult(trx, license.id, site.canonical, now);
      }),

    release: (licenseId, siteId, origin) =>
      db.transaction().execute(async (trx) => {
        const license = await lockLicense(trx, { id: licenseId });
        const activation = license && (await findActivationOfSite(trx, licenseId, siteId));
        if (!activation) throw new AppError('site_not_found');
        if (activation.status === 'active') await licenseChanges.count(trx, origin);
        const [site, now] = [parseSiteUrl(activation.site_url), clock.now()];
        const locked = { license, site, activation, now };
        await deactivateSite(trx, audit, origin, locked, { reason: 'released' });
        return readResult(trx, licenseId, site.canonical, now);
      }),
  };

  function withLockedLicense<T>(
    request: { license_key: string; site_url: string },
    parse: typeof parseKey,
    handle: (trx: Trx, locked: LockedRequest) => Promise<T>,
  ): Promise<T> {
    const site = parseSiteUrl(request.site_url);
    const key = parse(request.license_key, secrets);
    const lockAndHandle = async (trx: Trx) => {
      const license = await lockLicense(trx, await findLicenseRef(trx, key));
      if (!license) throw await buildUnknownKeyError(trx, key, site.canonical);
      // An owner may have revoked the code while this request waited for the lock.
      const code = key.isEnrolmentCode ? await lockCode(trx, key.hash) : undefined;
      if (key.isEnrolmentCode && !code) throw new AppError('invalid_license_key');
      const activation = await findActivation(trx, license.id, site.canonical);
      const now = clock.now();
      // A site key is valid for its own site only. It may have been replaced while this request waited for the lock.
      if (key.isSiteKey) assertAccepted(judgeKey(key, license, activation ?? null, now));
      return handle(trx, { license, site, key, code, activation, now });
    };
    return repeatedEvents.countRefusals(() => db.transaction().execute(lockAndHandle));
  }

  async function findLicenseRef(db: Database, key: RequestKey): Promise<LicenseRef> {
    let id: number | null | undefined = null;
    if (key.isSiteKey) id = (await findSiteBySiteKey(db, key.hash))?.license_id;
    if (key.isEnrolmentCode) id = await findLicenseIdOfCode(db, key.hash);
    return id ? { id } : { keyHash: key.hash, now: clock.now() };
  }

  /** Reads the rows after the write, so that the response contains the stored values. */
  async function readResult(
    trx: Trx,
    licenseId: number,
    canonicalUrl: string,
    now: Date,
  ): Promise<SiteResult> {
    const license = await findLicense(trx, { id: licenseId });
    const activation = await findActivation(trx, licenseId, canonicalUrl);
    if (!license || !activation)
      throw new Error('The transaction cannot read the activation that it wrote.');
    return { license: toLicense(license, now), activation: toActivation(activation) };
  }
}
