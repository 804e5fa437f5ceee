import { nextCheckInSeconds } from '@steward/panel/features';

export const DAY_SECONDS = 24 * 60 * 60;

/** The check-ins of a fleet, ordered by time. Typed arrays: a million sites have two million check-ins a day. */
export type Schedule = {
  /** Seconds since the start of the first day. */
  at: Float64Array;
  site: Uint32Array;
};

/**
 * Each site starts at a random time. Then it waits as long as the panel tells it, with the same jitter; a panel with little
 * load tells it to check in about twice a day.
 */
export function createSchedule(sites: number, days: number, random: () => number): Schedule {
  const endsAt = days * DAY_SECONDS;
  const checkIns: { at: number; site: number }[] = [];
  for (let site = 0; site < sites; site++) {
    let at = random() * nextCheckInSeconds(random(), 0);
    for (; at < endsAt; at += nextCheckInSeconds(random(), 0)) checkIns.push({ at, site });
  }
  checkIns.sort((one, other) => one.at - other.at);
  return {
    at: Float64Array.from(checkIns, ({ at }) => at),
    site: Uint32Array.from(checkIns, ({ site }) => site),
  };
}
