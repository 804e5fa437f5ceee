import { UNCOUNTED_SITES_PER_SEAT } from '@steward/contract';

const MOVES_PER_SEAT_AND_DAY = 5;
export const MOVE_WINDOW_MS = 24 * 60 * 60 * 1000;

/** The seats of a license for counted sites, or those for uncounted sites. */
export type Seats = {
  /** Null: unlimited. */
  limit: number | null;
  inUse: number;
  /** Seats that have had a site. */
  opened: number;
  /** The site that left last. Null if a site was activated since. */
  leftBy: number | null;
};

/** Null: unlimited. A limit below the use leaves no free seat; the sites that use one stay. */
export function countFreeSeats({ limit, inUse }: Pick<Seats, 'limit' | 'inUse'>): number | null {
  return limit === null ? null : Math.max(0, limit - inUse);
}

/** Returns the limit of sites on a local or staging address; null: unlimited. */
export function getUncountedLimit(siteLimit: number | null): number | null {
  return siteLimit === null ? null : siteLimit * UNCOUNTED_SITES_PER_SEAT;
}

/** How a site takes a seat. `opened`: the opened seats afterwards. */
export type SeatTaking =
  | { kind: 'no_free_seat' }
  /** Of the two, only a move counts for the limit of moves. */
  | { kind: 'no_move' | 'move'; opened: number };

/**
 * A move is the use of a seat that another site has left. Two activations are no move: of the site that left last, if
 * no site was activated since, and on a seat that has never had a site. Seats without a former site are taken first, so
 * a license serves its whole limit without a move. `siteId` is null for a site that the license has never been active on.
 */
export function classifySeatTaking(seats: Seats, siteId: number | null): SeatTaking {
  const { limit, inUse, leftBy } = seats;
  // An older version of the panel does not count opened seats.
  const opened = Math.max(seats.opened, inUse);
  if (limit === null) return { kind: 'no_move', opened: Math.max(opened, inUse + 1) };
  if (countFreeSeats(seats) === 0) return { kind: 'no_free_seat' };
  if (siteId !== null && siteId === leftBy) return { kind: 'no_move', opened };
  if (opened < limit) return { kind: 'no_move', opened: opened + 1 };
  return { kind: 'move', opened };
}

/** The number of moves in 24 hours after which the next one is refused. */
export const countAllowedMoves = (limit: number) => limit * MOVES_PER_SEAT_AND_DAY;

/**
 * Returns when the next move is allowed, or null if it is allowed now. `nthNewestMove` is the move with as many newer
 * ones that, together, they are the allowed number; null if there were fewer.
 */
export function findMoveRetryAt(nthNewestMove: Date | null, now: Date): Date | null {
  if (nthNewestMove === null) return null;
  const retryAt = new Date(nthNewestMove.getTime() + MOVE_WINDOW_MS);
  return retryAt > now ? retryAt : null;
}
