import { AppError } from '../../platform/app-error.ts';
import type { Trx } from '../../platform/database/handles.ts';
import { addActiveSite, type LicenseRecord } from './licenses.repository.ts';
import { findNthNewestMove, insertMove } from './seat-moves.repository.ts';
import {
  classifySeatTaking,
  countAllowedMoves,
  findMoveRetryAt,
  getUncountedLimit,
  MOVE_WINDOW_MS,
  type Seats,
} from './seat-rule.ts';

type ConnectingSite = {
  counted: boolean;
  /** Null if the license has never been active on the site. */
  siteId: number | null;
  now: Date;
};

/**
 * Takes a seat for a site, and counts the site and the move. Throws if the license allows no further site or move. The
 * caller must have locked the license. Returns the license with its new counts of sites.
 */
export async function takeSeat(
  trx: Trx,
  license: LicenseRecord,
  { counted, siteId, now }: ConnectingSite,
): Promise<LicenseRecord> {
  const seats = getSeats(license, counted);
  const taking = classifySeatTaking(seats, siteId);
  if (taking.kind === 'no_free_seat') throw limitReachedError(license, counted);
  if (taking.kind === 'move' && seats.limit !== null) {
    const kind = { licenseId: license.id, counted };
    const nthNewestMove = await findNthNewestMove(trx, kind, countAllowedMoves(seats.limit));
    const retryAt = findMoveRetryAt(nthNewestMove, now);
    if (retryAt) throw movesExhaustedError(retryAt);
    const forgetUntil = new Date(now.getTime() - MOVE_WINDOW_MS);
    await insertMove(trx, kind, { at: now, forgetUntil });
  }
  const newSiteAt = siteId === null ? now : null;
  await addActiveSite(trx, license.id, { counted, openedSeats: taking.opened, newSiteAt });
  const inUse = seats.inUse + 1;
  return { ...license, ...(counted ? { counted_sites: inUse } : { uncounted_sites: inUse }) };
}

function getSeats(license: LicenseRecord, counted: boolean): Seats {
  const { site_limit: limit } = license;
  if (counted) {
    return {
      limit,
      inUse: license.counted_sites,
      opened: license.opened_counted_seats,
      leftBy: license.counted_seat_left_by,
    };
  }
  return {
    limit: getUncountedLimit(limit),
    inUse: license.uncounted_sites,
    opened: license.opened_uncounted_seats,
    leftBy: license.uncounted_seat_left_by,
  };
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

function movesExhaustedError(time: Date): AppError {
  const retryAt = time.toISOString();
  return new AppError('seat_moves_exhausted', {
    message: `This license has been moved to other sites too often within a day. Try again after ${retryAt}, or ask for a higher site limit.`,
    details: { retry_at: retryAt },
  });
}
