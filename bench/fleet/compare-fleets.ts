import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResultRow } from '../results.ts';
import type { CreateInventory } from './fill.ts';
import { type Percentiles, percentiles, timeRequest } from './measure.ts';
import { type Fleet, openFleet } from './open-fleet.ts';

/** A request to both panels. With `hasLimit`, its times must stay within the limits. */
export type MeasuredRequest = {
  name: string;
  path: string;
  as: 'owner' | 'manager';
  hasLimit: boolean;
};

const SIZES = {
  small: Number(process.env.SMALL ?? 1000),
  large: Number(process.env.LARGE ?? 100_000),
};
const ROUNDS = Number(process.env.ROUNDS ?? 80);
const PASSES = 2;
const ONLY = process.env.ONLY ?? '';
const REQUIRED = { p95Ms: 30, ratio: 2 };
const METRICS = ['p50', 'p95', 'cpu'] as const;

/** `cpu`: the median CPU time of the panel and its database. */
type Measured = Pick<Percentiles, 'p50' | 'p95'> & { cpu: number };
type Compared = { small: Measured; large: Measured };
type Fleets = { small: Fleet; large: Fleet };

/**
 * Starts a panel with few and one with many sites, and stops them after `measure`. Filling takes longer than measuring, so
 * FLEET_DIR keeps the databases for the next run.
 */
export async function withFleets(
  folders: { small: string; large: string },
  measure: (fleets: Fleets) => Promise<void>,
  createInventory?: CreateInventory,
): Promise<void> {
  const folder = process.env.FLEET_DIR ?? mkdtempSync(join(tmpdir(), 'steward-bench-'));
  const opened: Fleet[] = [];
  try {
    const open = async (size: 'small' | 'large') => {
      const fleet = await openFleet(join(folder, folders[size]), SIZES[size], createInventory);
      opened.push(fleet);
      return fleet;
    };
    await measure({ small: await open('small'), large: await open('large') });
  } finally {
    for (const { panel } of opened) await panel.stop();
    if (!process.env.FLEET_DIR) rmSync(folder, { recursive: true, force: true });
  }
}

/** Sends each request to both panels in turn, so that other load on the machine affects both equally. */
export async function compareRequests(
  fleets: Fleets,
  requests: MeasuredRequest[],
): Promise<ResultRow[]> {
  const results: ResultRow[] = [];
  const ofSizes = Object.values(SIZES).flatMap((size) => [`${size}: p50`, 'p95', 'cpu']);
  printRow('', ...ofSizes, ...METRICS.map((metric) => `× ${metric}`));
  for (const request of requests) {
    const name = `${request.as}: ${request.name}`;
    if (!name.includes(ONLY)) continue;
    const times = await measure(fleets, request);
    const result = toResult(name, times);
    if (request.hasLimit) results.push(result);
    const ms = [times.small, times.large].flatMap((each) => METRICS.map((metric) => each[metric]));
    const ratios = METRICS.map((metric) => computeRatio(times, metric));
    const mark = request.hasLimit && !result.met ? ['  limit exceeded'] : [];
    const cells = [...ms.map((value) => value.toFixed(1)), ...ratios.map((r) => r.toFixed(2))];
    printRow(name, ...cells, ...mark);
  }
  return results;
}

/** Measures in two passes, whatever the first one shows: other load on the machine may affect one of them. */
async function measure(fleets: Fleets, { path, as }: MeasuredRequest): Promise<Compared> {
  const times = { small: [] as number[], large: [] as number[] };
  const cpu = { small: [] as number[], large: [] as number[] };
  const send = ({ panel, cookies }: Fleet) => timeRequest(panel.url + path, cookies[as]);
  for (let pass = 0; pass < PASSES; pass++) {
    // The first two rounds warm up.
    for (let round = -2; round < ROUNDS / PASSES; round++) {
      for (const size of ['small', 'large'] as const) {
        const before = fleets[size].cpuTime();
        const time = await send(fleets[size]);
        const used = fleets[size].cpuTime() - before;
        if (round < 0) continue;
        times[size].push(time);
        cpu[size].push(used);
      }
    }
  }
  const summarize = (size: 'small' | 'large') => ({
    ...percentiles(times[size]),
    cpu: percentiles(cpu[size]).p50,
  });
  return { small: summarize('small'), large: summarize('large') };
}

const computeRatio = ({ small, large }: Compared, metric: keyof Measured) =>
  large[metric] / small[metric];
const isWithinLimits = (times: Compared) =>
  times.large.p95 <= REQUIRED.p95Ms && computeRatio(times, 'p95') <= REQUIRED.ratio;

function toResult(name: string, times: Compared): ResultRow {
  const floorName = `${SIZES.small.toLocaleString('en')} sites`;
  return {
    name,
    value: times.large.p95,
    unit: 'ms',
    floor: { name: floorName, value: times.small.p95 },
    ratio: computeRatio(times, 'p95'),
    limit: `p95 at most ${REQUIRED.p95Ms} ms and at most ${REQUIRED.ratio} × ${floorName}`,
    met: isWithinLimits(times),
  };
}

export function printRow(name: string, ...cells: string[]): void {
  const line = name.padEnd(38) + cells.map((cell) => cell.padStart(11)).join('');
  process.stdout.write(`${line}\n`);
}
