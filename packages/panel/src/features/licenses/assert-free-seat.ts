import { UNCOUNTED_SITES_PER_SEAT } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Trx } from '../../platform/database/tables.ts';
import { findNthNewestDeactivation } from './activations.repository.ts';
import type { LicenseRecord } from './licenses.repository.ts';

const MOVES_PER_SEAT_AND_DAY = 5;
const DAY_MS = 24 * 60 * 60 * 1000;

type ConnectingSite = {
  counted: boolean;
  /** Null if the license has never been active on the site. */
  siteId: number | null;
  now: Date;
};

/** Throws if the license allows no further site. The caller must have locked the license. */
export async function assertFreeSeat(
  trx: Trx,
  license: LicenseRecord,
  { counted, siteId, now }: ConnectingSite,
): Promise<void> {
  const { site_limit, counted_sites, uncounted_sites } = license;
  if (site_limit === null) return;
  const allowedSites = counted ? site_limit : site_limit * UNCOUNTED_SITES_PER_SEAT;
  const inUse = counted ? counted_sites : uncounted_sites;
  if (inUse >= allowedSites) throw limitReachedError(license, counted);
  // In 24 hours, a license may serve allowedSites * (1 + MOVES_PER_SEAT_AND_DAY) different sites: those connected now
  // plus those deactivated in that time.
  const deactivationsUntilRefusal = allowedSites * (1 + MOVES_PER_SEAT_AND_DAY) - inUse;
  const deactivatedAt = await findNthNewestDeactivation(trx, {
    licenseId: license.id,
    counted,
    // A site that connects again uses its former seat, so this is not a move.
    exceptSiteId: siteId,
    since: new Date(now.getTime() - DAY_MS),
    n: deactivationsUntilRefusal,
  });
  if (deactivatedAt) throw movesExhaustedError(deactivatedAt);
}

function limitReachedError(
  { site_limit, counted_sites, uncounted_sites }: LicenseRecord,
  counted: boolean,
) {
  const details = { site_limit, sites_used: counted_sites };
  if (counted) return new AppError('site_limit_reached', { details });
  return new AppError('site_limit_reached', {
    message: `This license has reached its limit of sites on a local or staging address (${uncounted_sites} in use). Disconnect one of them first.`,
    details,
  });
}

function movesExhaustedError(deactivatedAt: Date): AppError {
  const retryAt = new Date(deactivatedAt.getTime() + DAY_MS).toISOString();
  return new AppError('seat_moves_exhausted', {
    message: `This license has been moved to other sites too often within a day. Try again after ${retryAt}, or ask for a higher site limit.`,
    details: { retry_at: retryAt },
  });
}
