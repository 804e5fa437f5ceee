import { UNCOUNTED_SITES_PER_SLOT } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Trx } from '../../platform/database/tables.ts';
import { findClosing } from './activations.repository.ts';
import type { LicenseRecord } from './licenses.repository.ts';

/** So often a seat may move to another site within a day. */
const MOVES_PER_DAY = 5;
const DAY_MS = 24 * 60 * 60 * 1000;

type Newcomer = {
  counted: boolean;
  /** Null: the license has never been on the site. */
  siteId: number | null;
  now: Date;
};

/** Throws unless the license may be put on one more site. It must be locked. */
export async function assertFreeSeat(
  trx: Trx,
  license: LicenseRecord,
  { counted, siteId, now }: Newcomer,
): Promise<void> {
  const { site_limit, counted_sites, uncounted_sites } = license;
  if (site_limit === null) return;
  const seats = counted ? site_limit : site_limit * UNCOUNTED_SITES_PER_SLOT;
  const inUse = counted ? counted_sites : uncounted_sites;
  if (inUse >= seats) throw limitReached(license, counted);
  // Each seat has room for the site that has it first, and for those it moves to. The sites that left in the
  // last day take part of that room.
  const room = seats * (1 + MOVES_PER_DAY) - inUse;
  const lastToFit = await findClosing(trx, {
    licenseId: license.id,
    counted,
    // A site that comes back takes no seat from another one.
    exceptSiteId: siteId,
    newest: room,
  });
  if (lastToFit && lastToFit.getTime() > now.getTime() - DAY_MS) throw movesExhausted(lastToFit);
}

function limitReached(
  { site_limit, counted_sites, uncounted_sites }: LicenseRecord,
  counted: boolean,
) {
  const details = { site_limit, sites_used: counted_sites };
  if (counted) return new AppError('site_limit_reached', { details });
  return new AppError('site_limit_reached', {
    message: `This license is in use on ${uncounted_sites} local and staging sites, which is as many as it allows. Deactivate it on one of them.`,
    details,
  });
}

function movesExhausted(closedAt: Date): AppError {
  const retryAt = new Date(closedAt.getTime() + DAY_MS).toISOString();
  return new AppError('seat_moves_exhausted', {
    message: `This license has been moved to other sites too often within a day. Try again after ${retryAt}, or ask for more sites.`,
    details: { retry_at: retryAt },
  });
}
