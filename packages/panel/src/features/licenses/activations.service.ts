import type { ActivateRequest, Activation, DeactivateRequest, License } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Trx } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import {
  type ActivationDependencies,
  activateSite,
  type IssuedCredentials,
  type LockedRequest,
  recordOfActivation,
} from './activate-site.ts';
import {
  type ActivationRecord,
  findActivation,
  findActivationOfSite,
  findSiteKeyOwner,
  updateActivation,
} from './activations.repository.ts';
import { deleteEnrolment } from './enrolments.repository.ts';
import { isTokenOf, keyOf, siteOf } from './identify.ts';
import { activationView, licenseView } from './license-view.ts';
import { findLicense, lockLicense } from './licenses.repository.ts';
import { assertKeyOfSite } from './standing.ts';

type LicenseAnswer = { license: License };
type SiteAnswer = LicenseAnswer & { activation: Activation };
export type ActivateAnswer = SiteAnswer & IssuedCredentials;

/** Putting a license on a site and taking it off again. */
export type ActivationService = {
  validate(licenseKey: string, siteUrl?: string): Promise<LicenseAnswer | SiteAnswer>;
  activate(request: ActivateRequest, origin: Origin): Promise<ActivateAnswer>;
  deactivate(request: DeactivateRequest, origin: Origin): Promise<SiteAnswer>;
  /** From the panel, for a site that cannot do it any more. Frees its slot; twice is as once. */
  release(licenseId: number, siteId: number, origin: Origin): Promise<SiteAnswer>;
};

export function createActivationService(deps: ActivationDependencies): ActivationService {
  const { db, secrets, clock, audit } = deps;

  return {
    async validate(licenseKey, siteUrl) {
      const site = siteUrl === undefined ? null : siteOf(siteUrl);
      const key = keyOf(licenseKey, secrets);
      const owner = key.isSiteKey ? await findSiteKeyOwner(db, key.hash) : null;
      const license = await findLicense(
        db,
        owner ? { id: owner.license_id } : { keyHash: key.hash, now: clock.now() },
      );
      if (!license) throw new AppError('invalid_license_key');
      const answer = { license: licenseView(license, clock.now()) };
      const activation = site && (await findActivation(db, license.id, site.canonical));
      if (site && owner && activation?.site_id !== owner.site_id) {
        throw new AppError('invalid_license_key');
      }
      return activation ? { ...answer, activation: activationView(activation) } : answer;
    },

    activate: (request, origin) =>
      onLockedLicense(request, async (trx, locked) => {
        const given = await activateSite(trx, request, locked, origin, deps);
        const answer = await readAnswer(trx, locked.license.id, locked.site.canonical, locked.now);
        return { ...answer, ...given };
      }),

    deactivate: (request, origin) =>
      onLockedLicense(request, async (trx, locked) => {
        const { license, site, key, known, now } = locked;
        if (!known) throw new AppError('site_not_activated');
        assertKeyOfSite(key, license, known, now);
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

  function onLockedLicense<T>(
    request: { license_key: string; site_url: string },
    work: (trx: Trx, locked: LockedRequest) => Promise<T>,
  ): Promise<T> {
    const site = siteOf(request.site_url);
    const key = keyOf(request.license_key, secrets);
    return db.transaction().execute(async (trx) => {
      const owner = key.isSiteKey ? await findSiteKeyOwner(trx, key.hash) : null;
      const license = await lockLicense(
        trx,
        owner ? { id: owner.license_id } : { keyHash: key.hash, now: clock.now() },
      );
      if (!license) throw new AppError('invalid_license_key');
      const known = await findActivation(trx, license.id, site.canonical);
      // The key of one site opens no other, nor one that has ended while this waited for the lock.
      const isOfSite = known?.site_key_hash?.equals(Buffer.from(key.hash, 'hex'));
      if (key.isSiteKey && !isOfSite) throw new AppError('invalid_license_key');
      return work(trx, { license, site, key, known, now: clock.now() });
    });
  }

  /** The second time frees nothing, changes nothing and leaves no record. */
  async function close(
    trx: Trx,
    origin: Origin,
    closing: Pick<LockedRequest, 'license' | 'site' | 'now'> & { known: ActivationRecord },
    why: { reason?: string } = {},
  ): Promise<void> {
    const { known, license, site, now } = closing;
    if (known.status !== 'active') return;
    const { site_id, counted } = known;
    await updateActivation(trx, site_id, { status: 'deactivated', deactivated_at: now });
    await deleteEnrolment(trx, site_id);
    const about = { siteId: site_id, license, site, context: { counted, ...why } };
    await audit.record(trx, origin, recordOfActivation('deactivate', about));
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
