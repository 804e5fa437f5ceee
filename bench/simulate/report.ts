import { percentiles } from '../fleet/measure.ts';
import { formatNumber, type ResultRow } from '../results.ts';
import { type Played, REQUESTS_PER_CHECK_IN } from './play.ts';
import { DAY_SECONDS } from './schedule.ts';
import { compareStats, type DatabaseStats, type TableGrowth } from './table-stats.ts';

export type Measured = {
  sites: number;
  played: Played;
  /** Check-ins per second of the fleet in real time. */
  realRate: number;
  /** CPU time of the panel and its database during the play. */
  cpuMs: number;
  updatedPlugins: number;
  /** Without sites, compacted before and after the play, and as it was at its end. */
  stats: { empty: DatabaseStats; before: DatabaseStats; end: DatabaseStats; after: DatabaseStats };
};

const LARGE_FLEET = 1_000_000;
/** The tables that check-ins update. */
const UPDATED_TABLES = ['license_activations', 'sites'];
const MAX_TABLES = 8;

/** The figures of the simulation, and those of a fleet of 1,000,000 sites calculated from them. */
export function createRows(measured: Measured): ResultRow[] {
  const { sites, played, realRate, cpuMs, stats } = measured;
  const siteDays = countSiteDays(measured);
  const requestRate = played.maxRate * REQUESTS_PER_CHECK_IN;
  const realRequestRate = realRate * REQUESTS_PER_CHECK_IN;
  const cpuPerCheckIn = cpuMs / played.checkIns;
  const lasting = (stats.after.bytes - stats.before.bytes) / siteDays;
  const atEnd = compareStats(stats.before, stats.end);
  const large = LARGE_FLEET / sites;
  const inLargeFleet = `for ${LARGE_FLEET.toLocaleString('en')} sites (calculated)`;
  return [
    {
      name: 'requests played',
      value: played.checkIns * REQUESTS_PER_CHECK_IN,
      unit: 'requests',
    },
    {
      name: 'requests refused or failed',
      value: played.failures,
      unit: 'requests',
      ...atMostZero(played.failures),
    },
    {
      name: 'highest rate',
      value: requestRate,
      unit: 'requests/s',
      floor: { name: `${sites.toLocaleString('en')} sites in real time`, value: realRequestRate },
      ratio: requestRate / realRequestRate,
      limit: 'ratio at least 1',
      met: requestRate >= realRequestRate,
    },
    {
      name: 'rate while the times were measured',
      value: played.pacedRate * REQUESTS_PER_CHECK_IN,
      unit: 'requests/s',
    },
    ...createTimeRows('license check', played.checkTimes),
    ...createTimeRows('report of the inventory', played.reportTimes),
    { name: 'CPU time of panel and database per check-in', value: cpuPerCheckIn, unit: 'ms' },
    { name: 'lasting growth per site and day', value: lasting, unit: 'bytes' },
    {
      name: 'growth with dead rows at the end, per site and day',
      value: (stats.end.bytes - stats.before.bytes) / siteDays,
      unit: 'bytes',
    },
    ...atEnd.filter(({ name }) => UPDATED_TABLES.includes(name)).flatMap(createUpdateRows),
    { name: `requests ${inLargeFleet}`, value: realRequestRate * large, unit: 'requests/s' },
    {
      name: `cores for check-ins ${inLargeFleet}`,
      value: (cpuPerCheckIn * realRate * large) / 1000,
      unit: 'cores',
    },
    {
      name: `database at the start ${inLargeFleet}`,
      value: ((stats.before.bytes - stats.empty.bytes) * large) / 1e9,
      unit: 'GB',
    },
    {
      name: `growth by check-ins ${inLargeFleet}`,
      value: (lasting * LARGE_FLEET * 365) / 1e9,
      unit: 'GB a year',
    },
  ];
}

const countSiteDays = ({ sites, played }: Measured) =>
  (sites * played.simulatedSeconds) / DAY_SECONDS;

const atMostZero = (failures: number) => ({ limit: 'none', met: failures === 0 });

function createTimeRows(name: string, times: number[]): ResultRow[] {
  const { p50, p95, p99 } = percentiles(times);
  return [
    { name: `${name}, p50`, value: p50, unit: 'ms' },
    { name: `${name}, p95`, value: p95, unit: 'ms' },
    { name: `${name}, p99`, value: p99, unit: 'ms' },
  ];
}

function createUpdateRows({ name, updates, hotUpdates, deadRows }: TableGrowth): ResultRow[] {
  const share = updates === 0 ? 100 : (hotUpdates / updates) * 100;
  return [
    { name: `${name}, updates that are HOT`, value: share, unit: '%' },
    { name: `${name}, dead rows at the end`, value: deadRows, unit: 'rows' },
  ];
}

/** Lines about the play, and about the tables that changed most. */
export function describePlay(measured: Measured): string[] {
  const { sites, played, updatedPlugins, stats } = measured;
  const days = played.simulatedSeconds / DAY_SECONDS;
  const siteDays = countSiteDays(measured);
  const lasting = new Map(
    compareStats(stats.before, stats.after).map(({ name, grownBytes }) => [name, grownBytes]),
  );
  const changed = compareStats(stats.before, stats.end)
    .filter(({ inserts, updates }) => inserts + updates > 0)
    .toSorted((one, other) => other.inserts + other.updates - one.inserts - one.updates);
  return [
    `${sites} sites, ${days.toFixed(2)} days, ${updatedPlugins} updated plugins; the times were measured at ${Math.round(played.speed)} × real time.`,
    ...(played.maxLagMs > 1000
      ? [
          `The play fell behind its schedule by up to ${(played.maxLagMs / 1000).toFixed(1)} s: the machine was slower than at the start.`,
        ]
      : []),
    `${'table'.padEnd(28)}${['inserts', 'updates', 'HOT %', 'dead', 'B/site/day'].map((name) => name.padStart(12)).join('')}`,
    ...changed.slice(0, MAX_TABLES).map(({ name, inserts, updates, hotUpdates, deadRows }) => {
      const hot = updates === 0 ? '' : formatNumber((hotUpdates / updates) * 100);
      const growth = formatNumber((lasting.get(name) ?? 0) / siteDays);
      const cells = [inserts, updates, hot, deadRows, growth];
      return name.padEnd(28) + cells.map((cell) => String(cell).padStart(12)).join('');
    }),
  ];
}
