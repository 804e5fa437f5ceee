/**
 * Compares check, verify and activate with 1,000 and 1,000,000 activations, in four shapes: 10, 200 and 10,000 sites per
 * license, and all sites on one license. See bench/README.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@steward/panel/logger';
import { loadConfig, openPanel } from '@steward/panel/program';
import { launchPanel } from '@steward/testkit/panel/panel-process.ts';
import { createCpuTimer } from '../fleet/cpu-time.ts';
import { cycle, load } from '../load.ts';
import { median } from '../median.ts';
import { type ResultRow, readOtherRows, saveResults } from '../results.ts';
import { type DatabaseWork, readDatabaseWork, waitForStatistics } from './database-work.ts';
import { fill } from './fill.ts';
import { readHotTables } from './hot-tables.ts';
import { createRequests, type Operation, sampleSites } from './requests.ts';
import { SHAPES, type Shape, scaleOf } from './shapes.ts';

const SMALL = 1000;
const LARGE = Number(process.env.SITES ?? 1_000_000);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const ROUND_SECONDS = Number(process.env.ROUND_SECONDS ?? 3);
const SIZES = ['small', 'large'] as const;
const OPERATIONS: Operation[] = ['check', 'verify', 'activate'];
const CONNECTIONS = 100;
/** More sites than a round can call, so that each call in the large database is for another site. */
const SITES_PER_ROUND = { check: 40_000, verify: 10_000, activate: 5000 };
const REQUIRED_RATIO = 0.85;
const SMALL_NAME = `${SMALL.toLocaleString('en')} activations`;
const LIMIT = `ratio at least ${REQUIRED_RATIO}`;
const CHECK_INS_PER_DAY = 2;
const MINUTES_PER_DAY = 24 * 60;
/** The check-ins and reports of this time are sent at the end. */
const MINUTES = Number(process.env.MINUTES ?? 60);

const folder = process.env.FLEET_DIR ?? mkdtempSync(join(tmpdir(), 'steward-bench-'));
const shapes = SHAPES.filter(({ name }) => (process.env.SHAPE ?? name) === name);
const rows: ResultRow[] = [];
try {
  for (const shape of shapes) await measureShape(shape);
  saveResults('license-scale', [...readOtherRows('license-scale', isMeasured), ...rows]);
} finally {
  if (!process.env.FLEET_DIR) rmSync(folder, { recursive: true, force: true });
}

type Fleet = Awaited<ReturnType<typeof openFleet>>;
type Fleets = { small: Fleet; large: Fleet };
type Work = { small: DatabaseWork; large: DatabaseWork };

async function openFleet(shape: Shape, sites: number) {
  const dataDir = join(folder, `${shape.name}-${sites}`);
  const scale = scaleOf(sites, shape);
  // No pings: they would load the machine during a round.
  const env = { DATA_DIR: dataDir, RATE_LIMIT: 'off', LOG_LEVEL: 'warn', PING_MINUTES: '0' };
  await fill(env, scale);
  const process = await launchPanel(env);
  const opened = await openPanel(loadConfig(env), createLogger('warn'));
  return {
    scale,
    opened,
    port: Number(new URL(process.url).port),
    cpuTime: createCpuTimer(process.pid, dataDir),
    async stop() {
      await opened.close();
      await process.end('SIGTERM');
    },
  };
}

async function measureShape(shape: Shape): Promise<void> {
  const small = await openFleet(shape, SMALL);
  const large = await openFleet(shape, LARGE);
  try {
    let work = await readWork({ small, large });
    for (const operation of OPERATIONS) {
      work = await compare(shape, operation, { small, large }, work);
    }
    await runCompressed(shape, large);
  } finally {
    await small.stop();
    await large.stop();
  }
}

type Figures = { requests: number; perSecond: number; cpuMs: number };

/** Measures both fleets in turn, so that other load on the machine affects both. */
async function compare(
  shape: Shape,
  operation: Operation,
  fleets: Fleets,
  before: Work,
): Promise<Work> {
  const figures: { small: Figures[]; large: Figures[] } = { small: [], large: [] };
  const requests = { small: 0, large: 0 };
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const size of SIZES) {
      const measured = await runRound(fleets[size], operation, round);
      requests[size] += measured.requests;
      if (round > 0) figures[size].push(measured);
    }
    print(`${shape.name} ${operation} ${round}: ${describe(figures)}`);
  }
  const add = (name: string, unit: string, read: (figure: Figures) => number, limit?: string) => {
    const [value, floor] = [median(figures.large.map(read)), median(figures.small.map(read))];
    const ratio = median(
      figures.large.map((each, round) => read(each) / read(figures.small[round] ?? each)),
    );
    rows.push({
      name: `${operation}, ${describeShape(shape)}${name}`,
      value,
      unit,
      floor: { name: SMALL_NAME, value: floor },
      ratio,
      ...(limit && { limit, met: ratio >= REQUIRED_RATIO }),
    });
  };
  add('', 'requests/s', ({ perSecond }) => perSecond, LIMIT);
  add(': CPU time', 'ms/request', ({ cpuMs }) => cpuMs);

  const after = await readWork(fleets);
  const addWork = (name: string, unit: string, key: keyof DatabaseWork) => {
    const perRequest = (size: (typeof SIZES)[number]) =>
      (after[size][key] - before[size][key]) / requests[size];
    const [value, floor] = [perRequest('large'), perRequest('small')];
    rows.push({
      name: `${operation}, ${describeShape(shape)}: ${name}`,
      value,
      unit,
      floor: { name: SMALL_NAME, value: floor },
      ratio: value / floor,
    });
  };
  addWork('pages read', 'pages/request', 'pages');
  addWork('write-ahead log', 'bytes/request', 'walBytes');
  return after;
}

async function readWork({ small, large }: Fleets): Promise<Work> {
  await waitForStatistics();
  return {
    small: await readDatabaseWork(small.opened),
    large: await readDatabaseWork(large.opened),
  };
}

async function runRound(fleet: Fleet, operation: Operation, round: number): Promise<Figures> {
  const sites = sampleSites(fleet.scale, {
    size: SITES_PER_ROUND[operation],
    rounds: ROUNDS + 1,
    round,
    reportedToday: true,
  });
  return call(fleet, operation, sites);
}

async function call(fleet: Fleet, operation: Operation, sites: number[], seconds = ROUND_SECONDS) {
  const { scale, port, cpuTime } = fleet;
  const requests = createRequests(operation, sites, scale, CONNECTIONS);
  const cpuBefore = cpuTime();
  const result = await load({ ports: [port], seconds, sources: requests.map(cycle) });
  if (result.failures.length > 0) throw new Error(`${operation}: ${result.failures[0]}`);
  return {
    requests: result.requests,
    perSecond: result.requests / result.seconds,
    cpuMs: (cpuTime() - cpuBefore) / result.requests,
  };
}

/**
 * Sends the check-ins and reports of an hour as fast as possible, and shows what they leave behind. The reports are the
 * first of the day of their sites, as in production.
 */
async function runCompressed(shape: Shape, fleet: Fleet): Promise<void> {
  const { sites } = fleet.scale;
  const before = await readHotTables(fleet.opened);
  for (const operation of ['check', 'verify'] as const) {
    const perDay = operation === 'check' ? CHECK_INS_PER_DAY : 1;
    const size = Math.ceil((sites * perDay * MINUTES) / MINUTES_PER_DAY);
    for (let sent = 0, round = 0; sent < size; round++) {
      const rounds = Math.ceil(size / SITES_PER_ROUND[operation]);
      const sample = { size: Math.ceil(size / rounds), round, rounds, reportedToday: false };
      sent += (await call(fleet, operation, sampleSites(fleet.scale, sample))).requests;
    }
  }
  const after = await readHotTables(fleet.opened);
  for (const state of after) {
    const earlier = before.find(({ table }) => table === state.table) ?? state;
    const updates = state.updates - earlier.updates;
    const add = (name: string, value: number, unit: string) =>
      rows.push({
        name: `${MINUTES} minutes of check-ins, ${describeShape(shape)}, ${state.table}: ${name}`,
        value,
        unit,
      });
    if (updates > 0) {
      add('updates', updates, 'rows');
      add('HOT share', (100 * (state.hotUpdates - earlier.hotUpdates)) / updates, '%');
    }
    add('dead rows', state.deadRows, 'rows');
    add('size', state.bytes / 2 ** 20, 'MB');
    add('growth', (state.bytes - earlier.bytes) / 2 ** 20, 'MB');
  }
}

function isMeasured({ name }: ResultRow): boolean {
  return shapes.some((shape) => name.includes(`, ${describeShape(shape)}`));
}

function describeShape({ sitesPerLicense }: Shape): string {
  return Number.isFinite(sitesPerLicense)
    ? `${sitesPerLicense.toLocaleString('en')} sites per license`
    : 'all sites on one license';
}

function describe(figures: { small: Figures[]; large: Figures[] }): string {
  return Object.entries(figures)
    .map(([size, list]) => {
      const last = list.at(-1);
      return last ? `${size} ${last.perSecond.toFixed(0)}/s ${last.cpuMs.toFixed(2)} ms` : size;
    })
    .join(', ');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
