import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  classifySeatTaking,
  countAllowedMoves,
  countFreeSeats,
  findMoveRetryAt,
  getUncountedLimit,
  MOVE_WINDOW_MS,
  type Seats,
} from './seat-rule.ts';

describe('classifySeatTaking', () => {
  const seats = (change: Partial<Seats>): Seats => ({
    ...{ limit: 3, inUse: 0, opened: 0, leftBy: null },
    ...change,
  });

  it.each([
    ['all seats are in use', seats({ inUse: 3, opened: 3 }), null],
    ['more seats are in use than a lowered limit', seats({ inUse: 5, opened: 5 }), null],
    ['the limit is reached and the site left last', seats({ inUse: 3, opened: 3, leftBy: 7 }), 7],
  ])('finds no free seat if %s', (_, given, siteId) => {
    expect(classifySeatTaking(given, siteId)).toEqual({ kind: 'no_free_seat' });
  });

  it.each([
    ['the first site', seats({}), null, 1],
    ['a seat without a former site', seats({ inUse: 2, opened: 2 }), null, 3],
    ['another seat while a left one is free', seats({ inUse: 1, opened: 2, leftBy: 7 }), 8, 3],
    ['a new seat of a raised limit', seats({ limit: 4, inUse: 3, opened: 3 }), null, 4],
    ['the site that left last', seats({ inUse: 2, opened: 3, leftBy: 7 }), 7, 3],
    ['a license without a limit', seats({ limit: null, inUse: 4, opened: 5, leftBy: 7 }), 8, 5],
    ['more sites than counted by an older version', seats({ inUse: 2, opened: 0 }), null, 3],
  ])('takes no move for %s', (_, given, siteId, opened) => {
    expect(classifySeatTaking(given, siteId)).toEqual({ kind: 'no_move', opened });
  });

  it.each([
    ['a new site on a left seat', seats({ inUse: 2, opened: 3, leftBy: 7 }), null],
    ['a former site that did not leave last', seats({ inUse: 2, opened: 3, leftBy: 7 }), 8],
    ['a former site after another activation', seats({ inUse: 2, opened: 3 }), 7],
    ['a limit lowered and raised again', seats({ inUse: 1, opened: 6 }), null],
  ])('takes a move for %s', (_, given, siteId) => {
    const { opened } = given;
    expect(classifySeatTaking(given, siteId)).toEqual({ kind: 'move', opened });
  });
});

describe('countFreeSeats', () => {
  it.each([
    [{ limit: 3, inUse: 0 }, 3],
    [{ limit: 3, inUse: 3 }, 0],
    [{ limit: 3, inUse: 5 }, 0],
    [{ limit: null, inUse: 5 }, null],
  ])('%o', (given, free) => expect(countFreeSeats(given)).toBe(free));
});

describe('getUncountedLimit', () => {
  it('is five sites for each seat', () =>
    expect([getUncountedLimit(2), getUncountedLimit(null)]).toEqual([10, null]));
});

describe('findMoveRetryAt', () => {
  const now = new Date('2026-06-01T12:00:00Z');
  const ago = (ms: number) => new Date(now.getTime() - ms);

  it('allows a move if there were fewer', () => expect(findMoveRetryAt(null, now)).toBeNull());
  it('allows a move after exactly 24 hours', () =>
    expect(findMoveRetryAt(ago(MOVE_WINDOW_MS), now)).toBeNull());
  it('names the end of the 24 hours', () =>
    expect(findMoveRetryAt(ago(MOVE_WINDOW_MS - 1), now)).toEqual(new Date(now.getTime() + 1)));
});

describe('any sequence of activations and deactivations', () => {
  const HOUR_MS = 60 * 60 * 1000;
  type Step = { site: number; hours: number };
  const step: fc.Arbitrary<Step> = fc.record({
    site: fc.integer({ min: 1, max: 8 }),
    hours: fc.constantFrom(0, 0, 0, 1, 5, 23, 24),
  });
  type Activation = { site: number; at: number };

  /** Each step changes the state of one site. Returns the activations that succeeded. */
  function play(limit: number, steps: Step[]) {
    const active = new Set<number>();
    const moves: Date[] = [];
    const activations: Activation[] = [];
    let [now, opened, leftBy]: [number, number, number | null] = [0, 0, null];
    for (const { site, hours } of steps) {
      now += hours * HOUR_MS;
      if (active.delete(site)) {
        leftBy = site;
        continue;
      }
      const taking = classifySeatTaking({ limit, inUse: active.size, opened, leftBy }, site);
      if (taking.kind === 'no_free_seat') continue;
      if (taking.kind === 'move') {
        const nth = moves.at(-countAllowedMoves(limit)) ?? null;
        const retryAt = findMoveRetryAt(nth, new Date(now));
        if (retryAt) {
          expect(findMoveRetryAt(nth, new Date(retryAt.getTime() - 1))).toEqual(retryAt);
          expect(findMoveRetryAt(nth, retryAt)).toBeNull();
          continue;
        }
        moves.push(new Date(now));
      }
      // Only the last leaver returns to its seat, and then no other site has taken one.
      if (leftBy !== site) activations.push({ site, at: now });
      active.add(site);
      [opened, leftBy] = [taking.opened, null];
    }
    return { activations, moves: moves.map((move) => move.getTime()), opened };
  }

  const sequence = [fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 120 })] as const;
  const countWithin24Hours = (times: number[], end: number) =>
    times.filter((at) => at <= end && at > end - MOVE_WINDOW_MS).length;

  it('has at most 5 moves per seat in any 24 hours', () => {
    fc.assert(
      fc.property(...sequence, (limit, steps) => {
        const { moves } = play(limit, steps);
        for (const end of moves)
          expect(countWithin24Hours(moves, end)).toBeLessThanOrEqual(5 * limit);
      }),
    );
  });

  it('counts all activations except returns and one for each seat', () => {
    fc.assert(
      fc.property(...sequence, (limit, steps) => {
        const { activations, moves, opened } = play(limit, steps);
        expect(activations.length).toBe(moves.length + opened);
        expect(opened).toBeLessThanOrEqual(limit);
      }),
    );
  });
});
