import {
  type ActivateRequest,
  type Activation,
  type DeactivateRequest,
  isUncountedHost,
  type License,
  type SiteUrl,
  UNCOUNTED_SITES_PER_SLOT,
} from '@steward/contract';
import type { Database, Trx } from '../../database/tables.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { generateActivationToken, hashToken, type Secrets } from '../../lib/secrets.ts';
import type { AuditService, Origin } from '../audit/audit.service.ts';
import type { SiteService } from '../sites/sites.service.ts';
import {
  type ActivationRecord,
  findActivation,
  findActivationOfSite,
  openActivation,
  updateActivation,
} from './activations.repository.ts';
import { isTokenOf, keyHashOf, siteOf } from './identify.ts';
import { activationView, licenseView } from './license-view.ts';
import { findLicense, type LicenseRecord, lockLicense } from './licenses.repository.ts';
import { assertValid } from './standing.ts';

type LicenseAnswer = { license: License };
type SiteAnswer = LicenseAnswer & { activation: Activation };

/** Putting a license on a site and taking it off again. */
export type ActivationService = {
  validate(licenseKey: string, siteUrl?: string): Promise<LicenseAnswer | SiteAnswer>;
  activate(
    request: ActivateRequest,
    origin: Origin,
  ): Promise<SiteAnswer & { activation_token: string }>;
  deactivate(request: DeactivateRequest, origin: Origin): Promise<SiteAnswer>;
  /** From the panel, for a site that cannot do it any more. Frees its slot; twice is as once. */
  release(licenseId: number, siteId: number, origin: Origin): Promise<SiteAnswer>;
};

type Dependencies = {
  db: Database;
  secrets: Secrets;
  clock: Clock;
  audit: AuditService;
  sites: SiteService;
};

export function createActivationService(deps: Dependencies): ActivationService {
  const { db, secrets, clock, audit, sites } = deps;

  return {
    async validate(licenseKey, siteUrl) {
      const site = siteUrl === undefined ? null : siteOf(siteUrl);
      const license = await findLicense(db, { keyHash: keyHashOf(licenseKey, secrets) });
      if (!license) throw new AppError('invalid_license_key');
      const answer = { license: licenseView(license, clock.now()) };
      const activation = site && (await findActivation(db, license.id, site.canonical));
      return activation ? { ...answer, activation: activationView(activation) } : answer;
    },

    activate: (request, origin) =>
      onLockedLicense(request, async (trx, { license, site, known, now }) => {
        assertValid(license, now);
        const isNew = known?.status !== 'active';
        const counted = !isUncountedHost(site.host);
        if (isNew) assertFreeSlot(license, counted);

        const siteId = await sites.register(trx, license.id, site, {
          endpointUrl: request.endpoint_url,
        });
        const token = isNew
          ? generateActivationToken()
          : secrets.decrypt(known.token_encrypted, 'activation_token');
        const activation = {
          cms_version: request.cms_version,
          php_version: request.php_version,
          plugin_version: request.plugin_version,
          environment: request.environment ?? ('production' as const),
          // As the site wrote it, less the white space that no header would carry.
          license_key_encrypted: secrets.encrypt(request.license_key.trim(), 'license_key'),
        };
        if (!isNew) await updateActivation(trx, siteId, activation);
        else {
          await openActivation(trx, {
            ...activation,
            site_id: siteId,
            license_id: license.id,
            status: 'active',
            counted,
            token_hash: Buffer.from(hashToken(token), 'hex'),
            token_encrypted: secrets.encrypt(token, 'activation_token'),
            activated_at: now,
            deactivated_at: null,
          });
          await recordChange(trx, origin, 'activate', siteId, license, site, counted);
        }
        const answer = await readAnswer(trx, license.id, site.canonical, now);
        return { ...answer, activation_token: token };
      }),

    deactivate: (request, origin) =>
      onLockedLicense(request, async (trx, { license, site, known, now }) => {
        if (!known) throw new AppError('site_not_activated');
        if (!isTokenOf(known, request.activation_token)) {
          throw new AppError('invalid_activation_token');
        }
        await close(trx, origin, { license, site, known, now });
        return readAnswer(trx, license.id, site.canonical, now);
      }),

    release: (licenseId, siteId, origin) =>
      db.transaction().execute(async (trx) => {
        const license = await lockLicense(trx, { id: licenseId });
        const known = license && (await findActivationOfSite(trx, licenseId, siteId));
        if (!known) throw new AppError('site_not_found');
        const [site, now] = [siteOf(known.site_url), clock.now()];
        await close(trx, origin, { license, site, known, now }, { reason: 'released' });
        return readAnswer(trx, licenseId, site.canonical, now);
      }),
  };

  type Locked = {
    license: LicenseRecord;
    site: SiteUrl;
    known: ActivationRecord | undefined;
    now: Date;
  };

  /** The license row is locked first: two activations must not both see the last slot. */
  function onLockedLicense<T>(
    request: { license_key: string; site_url: string },
    work: (trx: Trx, locked: Locked) => Promise<T>,
  ): Promise<T> {
    const site = siteOf(request.site_url);
    const keyHash = keyHashOf(request.license_key, secrets);
    return db.transaction().execute(async (trx) => {
      const license = await lockLicense(trx, { keyHash });
      if (!license) throw new AppError('invalid_license_key');
      const known = await findActivation(trx, license.id, site.canonical);
      return work(trx, { license, site, known, now: clock.now() });
    });
  }

  /** The second time frees nothing, changes nothing and leaves no record. */
  async function close(
    trx: Trx,
    origin: Origin,
    { license, site, known, now }: Locked & { known: ActivationRecord },
    why: { reason?: string } = {},
  ): Promise<void> {
    if (known.status !== 'active') return;
    const { site_id, counted } = known;
    await updateActivation(trx, site_id, { status: 'deactivated', deactivated_at: now });
    await recordChange(trx, origin, 'deactivate', site_id, license, site, counted, why);
  }

  function recordChange(
    trx: Trx,
    origin: Origin,
    action: 'activate' | 'deactivate',
    siteId: number,
    license: LicenseRecord,
    site: SiteUrl,
    counted: boolean,
    why: { reason?: string } = {},
  ): Promise<void> {
    const context = { license_id: license.id, site_url: site.canonical, counted, ...why };
    return audit.record(trx, origin, {
      action,
      entityType: 'activation',
      entityId: siteId,
      siteId,
      context,
    });
  }

  /** Read back rather than put together: what is reported as done was seen. */
  async function readAnswer(
    trx: Trx,
    licenseId: number,
    canonicalUrl: string,
    now: Date,
  ): Promise<SiteAnswer> {
    const license = await findLicense(trx, { id: licenseId });
    const activation = await findActivation(trx, licenseId, canonicalUrl);
    if (!license || !activation) throw new Error('An activation vanished inside its transaction.');
    return { license: licenseView(license, now), activation: activationView(activation) };
  }
}

function assertFreeSlot(license: LicenseRecord, counted: boolean): void {
  const { site_limit, counted_sites, uncounted_sites } = license;
  if (site_limit === null) return;
  const details = { site_limit, sites_used: counted_sites };
  if (counted && counted_sites >= site_limit) throw new AppError('site_limit_reached', { details });
  const uncountedLimit = site_limit * UNCOUNTED_SITES_PER_SLOT;
  if (!counted && uncounted_sites >= uncountedLimit) {
    throw new AppError('site_limit_reached', {
      message: `This license is in use on ${uncounted_sites} local and staging sites, which is as many as it allows. Deactivate it on one of them.`,
      details,
    });
  }
}
