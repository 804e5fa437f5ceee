import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, openConnection } from './connection.ts';
import type { Schedule } from './schedule.ts';
import type { SimulatedSites } from './simulated-sites.ts';

/** A check-in is a license check and a report, as the WordPress plugin sends them. */
export const REQUESTS_PER_CHECK_IN = 2;
const CONNECTIONS = 32;
/** The first part is played as fast as possible, to find the highest rate. */
const FAST_SHARE = 0.1;
/** The rest is played at this share of the highest rate, with the spacing of the schedule. */
const PACED_SHARE = 0.7;

export type Played = {
  checkIns: number;
  failures: number;
  /** Check-ins per second: the most that the panel served, and the rate of the paced part. */
  maxRate: number;
  pacedRate: number;
  /** How many times faster than real time the paced part was planned. */
  speed: number;
  /** Milliseconds of each request of the paced part. */
  checkTimes: number[];
  reportTimes: number[];
  /** The longest time that a check-in of the paced part waited for a free connection. */
  maxLagMs: number;
  /** Simulated seconds that were played. */
  simulatedSeconds: number;
};

type PlayOptions = {
  port: number;
  schedule: Schedule;
  sites: SimulatedSites;
  /** Check-ins per second of the fleet in real time. */
  realRate: number;
  /** Ends the play. */
  signal: AbortSignal;
};

/** Plays the check-ins of the schedule against the panel, in their order. */
export async function play(options: PlayOptions): Promise<Played> {
  const { port, schedule, sites, realRate, signal } = options;
  const total = schedule.at.length;
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => openConnection(port)),
  );
  const [checkTimes, reportTimes]: number[][] = [[], []];
  let [next, failures, maxLagMs] = [0, 0, 0];

  async function checkIn(connection: Connection, site: number, isTimed: boolean): Promise<void> {
    const post = async (path: string, body: string, times: number[] | undefined) => {
      const sentAt = performance.now();
      const status = await connection.post(path, body);
      if (isTimed) times?.push(performance.now() - sentAt);
      if (status !== 200) failures++;
    };
    await post('/api/v1/license/check', sites.createCheck(site), checkTimes);
    await post('/api/v1/site/verify', sites.createReport(site), reportTimes);
  }

  /** Plays the check-ins before `end`; `dueMs` returns when each is due, in milliseconds after the start. */
  async function playUntil(end: number, dueMs?: (index: number) => number): Promise<number> {
    const [first, startedAt] = [next, performance.now()];
    await Promise.all(
      connections.map(async (connection) => {
        while (next < end && !signal.aborted) {
          const index = next++;
          const early = dueMs ? dueMs(index) - (performance.now() - startedAt) : 0;
          if (early > 1) await sleep(early, undefined, { signal }).catch(() => {});
          maxLagMs = Math.max(maxLagMs, -early);
          await checkIn(connection, schedule.site[index] ?? 0, dueMs !== undefined);
        }
      }),
    );
    return (next - first) / ((performance.now() - startedAt) / 1000);
  }

  try {
    const fastEnd = Math.ceil(total * FAST_SHARE);
    const maxRate = await playUntil(fastEnd);
    const speed = Math.max(1, (maxRate * PACED_SHARE) / realRate);
    const startsAt = schedule.at[next] ?? 0;
    const dueMs = (index: number) => (((schedule.at[index] ?? 0) - startsAt) / speed) * 1000;
    const pacedRate = await playUntil(total, dueMs);
    const simulatedSeconds =
      next < total ? (schedule.at[next] ?? 0) : (schedule.at[total - 1] ?? 0);
    const rates = { maxRate, pacedRate, speed };
    return {
      ...{ checkIns: next, failures, maxLagMs, simulatedSeconds },
      ...rates,
      checkTimes: checkTimes ?? [],
      reportTimes: reportTimes ?? [],
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}
