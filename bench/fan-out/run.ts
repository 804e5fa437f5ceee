/**
 * Measures one run over many sites with 50 concurrent calls, in turns with a minimal caller: its duration and CPU time, the
 * memory of the panel, and the response times of the panel during the run. With an argument, only the scenario of this name.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Panel } from '@steward/panel/program';
import { compare, figure } from '../figures.ts';
import { createCpuTimer } from '../fleet/cpu-time.ts';
import { percentiles } from '../fleet/measure.ts';
import { startPanelProcess } from '../panel-process.ts';
import { type ResultRow, readOtherRows, saveResults } from '../results.ts';
import { runFloor } from './floor.ts';
import { createPluginNames } from './plugin-names.ts';
import { seed, siteUrl } from './seed.ts';

type Scenario = {
  name: string;
  sites: number;
  latencyMs: number;
  maxRatio: number;
  maxCpuRatio?: number;
  maxMemoryMb: number;
  /** The number of single items in the run. Without them, each site installs every pending update. */
  items?: number;
};

const SCENARIOS: Scenario[] = [
  {
    name: 'many',
    sites: 10_000,
    latencyMs: 200,
    maxRatio: 1.35,
    maxCpuRatio: 4,
    maxMemoryMb: 300,
  },
  { name: 'slow', sites: 2000, latencyMs: 1000, maxRatio: 1.06, maxMemoryMb: 300 },
  { name: 'items', sites: 10_000, latencyMs: 200, maxRatio: 2, maxMemoryMb: 400, items: 3 },
];
const ROUNDS = Number(process.env.ROUNDS ?? 2);
const MAX_PAGE_P95_MS = 100;
const CONCURRENCY = 50;

const [wanted] = process.argv.slice(2);
const scenarios = SCENARIOS.filter(({ name }) => (wanted ?? name) === name);
const rows: ResultRow[] = [];
for (const scenario of scenarios) rows.push(...(await measure(scenario)));
const isMeasured = (row: ResultRow) => scenarios.some(({ name }) => row.name.startsWith(name));
saveResults('fan-out', [...readOtherRows('fan-out', isMeasured), ...rows]);

async function measure(scenario: Scenario): Promise<ResultRow[]> {
  const { sites: count, latencyMs, items = 0 } = scenario;
  const dataDir = mkdtempSync(join(tmpdir(), 'steward-bench-'));
  const env = {
    DATA_DIR: dataDir,
    ALLOW_PRIVATE_SITES: 'true',
    // Only the run uses the sites.
    PING_MINUTES: '0',
    SITE_CALLS_AT_ONCE: String(CONCURRENCY),
  };
  const opened = new AsyncDisposableStack();
  opened.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  try {
    const seeded = await seed(env, count);
    opened.defer(seeded.close);
    const sites = fork(join(import.meta.dirname, 'sites.ts'), [
      String(count),
      String(latencyMs),
      seeded.key,
      String(Math.max(1, items)),
    ]);
    opened.defer(() => sites.disconnect());
    const [port] = (await once(sites, 'message')) as [number];
    await seeded.connect(port);
    if (items > 0) await reportItems(seeded.pool, items);
    const panel = await startPanelProcess(env);
    opened.defer(panel.stop);
    /** Returns the most concurrent calls so far. Afterwards, each site has its pending updates again. */
    const offerUpdatesAgain = async () => {
      sites.send('offer the updates again');
      const [maxConcurrent] = (await once(sites, 'message')) as [number];
      return maxConcurrent;
    };
    const urlOf = (index: number) => siteUrl(index, port);
    const asOwner = await seeded.openAsOwner();
    opened.defer(asOwner.close);
    const floorOf = { sites: count, concurrency: CONCURRENCY, urlOf, key: seeded.key };
    const databaseCpu = createCpuTimer(null, dataDir);
    const panelCpu = createCpuTimer(panel.pid, dataDir);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const idleCpu = databaseCpu();
      const floor = await runFloor({ ...floorOf, pool: asOwner.pool });
      floor.cpuMs += databaseCpu() - idleCpu;
      await offerUpdatesAgain();
      const cpuBefore = panelCpu();
      const run = await watchRun(panel.owner, scenario);
      rounds.push({ floor, run: { ...run, cpuMs: panelCpu() - cpuBefore } });
      if (items > 0) await reportItems(seeded.pool, items);
    }
    const maxConcurrent = await offerUpdatesAgain();
    if (maxConcurrent > CONCURRENCY) throw new Error(`${maxConcurrent} concurrent calls.`);
    return toRows(scenario, rounds, panel.readPeakMemoryMb());
  } finally {
    await opened.disposeAsync();
  }
}

type Owner = Awaited<ReturnType<typeof startPanelProcess>>['owner'];

async function watchRun(owner: Owner, { sites, items = 0 }: Scenario) {
  const ids = Array.from({ length: sites }, (_, index) => index + 1);
  const wantedItems = createPluginNames(items).map((slug) => ({
    type: 'plugin',
    slug,
    version: '2.0',
  }));
  const startedAt = performance.now();
  const { run_id } = await owner.ask<{ run_id: number }>(
    'POST',
    '/remote/update',
    { site_ids: ids, ...(items > 0 && { items: wantedItems }) },
    { headers: { prefer: 'respond-async' } },
  );
  const acceptedMs = performance.now() - startedAt;
  const responseTimes: number[] = [];
  for (;;) {
    const sentAt = performance.now();
    await owner.ask('GET', '/panel/sites');
    responseTimes.push(performance.now() - sentAt);
    const { status, counts } = await owner.ask<{ status: string; counts: Record<string, number> }>(
      'GET',
      `/panel/runs/${run_id}?limit=1`,
    );
    const seconds = (performance.now() - startedAt) / 1000;
    if (status === 'finished') {
      if (counts.succeeded !== sites) throw new Error(`Results ${JSON.stringify(counts)}`);
      return { seconds, acceptedMs, responseTimes };
    }
    await sleep(250);
  }
}

type Round = {
  floor: Awaited<ReturnType<typeof runFloor>>;
  run: Awaited<ReturnType<typeof watchRun>> & { cpuMs: number };
};

function toRows(scenario: Scenario, rounds: Round[], memoryMb: number): ResultRow[] {
  const { name, sites, latencyMs, maxRatio, maxCpuRatio, maxMemoryMb } = scenario;
  const title = `${name}, ${sites.toLocaleString('en')} sites of ${latencyMs} ms`;
  const ideal = (sites * latencyMs) / 1000 / CONCURRENCY;
  const floorTimes = rounds.map(({ floor }) => floor.seconds);
  const runTimes = rounds.map(({ run }) => run.seconds);
  const cpuPerSite = (each: { cpuMs: number }) => each.cpuMs / sites;
  const floorCpu = rounds.map(({ floor }) => cpuPerSite(floor));
  const pageP95 = percentiles(rounds.flatMap(({ run }) => run.responseTimes)).p95;
  return [
    compare(
      `${title}: run`,
      's',
      runTimes,
      { name: 'minimal caller', values: floorTimes },
      { atMost: maxRatio },
    ),
    compare(
      `${title}: CPU time per site`,
      'ms',
      rounds.map(({ run }) => cpuPerSite(run)),
      { name: 'minimal caller', values: floorCpu },
      maxCpuRatio === undefined ? undefined : { atMost: maxCpuRatio },
    ),
    compare(`${title}: run against sleeping alone`, 's', runTimes, {
      name: 'the latencies',
      values: rounds.map(() => ideal),
    }),
    {
      name: `${title}: peak memory of the panel`,
      value: memoryMb,
      unit: 'MB',
      limit: `at most ${maxMemoryMb} MB`,
      met: memoryMb <= maxMemoryMb,
    },
    figure(
      `${title}: accepted after`,
      'ms',
      rounds.map(({ run }) => run.acceptedMs),
    ),
    {
      ...figure(`${title}: page of sites during the run, p95`, 'ms', [pageP95]),
      limit: `at most ${MAX_PAGE_P95_MS} ms`,
      met: pageP95 <= MAX_PAGE_P95_MS,
    },
  ];
}

/** Stores a report of each site, as if it had sent one. */
async function reportItems(pool: Panel['connection']['pool'], items: number): Promise<void> {
  const inventory = {
    plugins: createPluginNames(items).map((plugin) => ({
      plugin,
      name: plugin,
      version: '1.0',
      new_version: '2.0',
      active: true,
    })),
    themes: [],
    core: { version: '6.0' },
  };
  await pool.query("UPDATE license_activations SET capabilities = '{update.items}'");
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM sites ORDER BY id');
  for (const { id } of rows) {
    const report = 'UPDATE sites SET inventory = $1, inventory_at = now() WHERE id = $2';
    await pool.query(report, [JSON.stringify(inventory), id]);
  }
}
