/**
 * Measures one run over many sites with 50 concurrent calls: its duration compared with the calls alone, the memory
 * of the panel, and the response times of the panel during the run. With an argument, only the scenario of this name.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Panel } from '@steward/panel/program';
import { compare, figure } from '../figures.ts';
import { startPanelProcess } from '../panel-process.ts';
import { type ResultRow, readOtherRows, saveResults } from '../results.ts';
import { createPluginNames } from './plugin-names.ts';
import { seed } from './seed.ts';

type Scenario = {
  name: string;
  sites: number;
  latencyMs: number;
  maxRatio: number;
  maxMemoryMb: number;
  /** The number of single items in the run. Without them, each site installs every pending update. */
  items?: number;
};

const SCENARIOS: Scenario[] = [
  { name: 'many', sites: 10_000, latencyMs: 200, maxRatio: 1.35, maxMemoryMb: 300 },
  { name: 'slow', sites: 2000, latencyMs: 1000, maxRatio: 1.06, maxMemoryMb: 300 },
  { name: 'items', sites: 10_000, latencyMs: 200, maxRatio: 2, maxMemoryMb: 400, items: 3 },
];
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
  const seeded = await seed(env, count);
  const sites = fork(join(import.meta.dirname, 'sites.ts'), [
    String(count),
    String(latencyMs),
    seeded.key,
    String(Math.max(1, items)),
  ]);
  const [port] = (await once(sites, 'message')) as [number];
  await seeded.connect(port);
  if (items > 0) await reportItems(seeded.pool, items);
  await seeded.close();
  const panel = await startPanelProcess(env);
  try {
    const run = await watchRun(panel.owner, scenario);
    sites.send('report max concurrency');
    const [maxConcurrent] = (await once(sites, 'message')) as [number];
    return toRows(scenario, { ...run, maxConcurrent, memoryMb: panel.readPeakMemoryMb() });
  } finally {
    await panel.stop();
    sites.disconnect();
    rmSync(dataDir, { recursive: true, force: true });
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
    if (status === 'finished') return { seconds, acceptedMs, responseTimes, counts };
    await sleep(250);
  }
}

type Measured = {
  seconds: number;
  acceptedMs: number;
  responseTimes: number[];
  counts: Record<string, number>;
  maxConcurrent: number;
  memoryMb: number;
};

function toRows(scenario: Scenario, measured: Measured): ResultRow[] {
  const { name, sites, latencyMs, maxRatio, maxMemoryMb } = scenario;
  const { seconds, acceptedMs, responseTimes, counts, maxConcurrent, memoryMb } = measured;
  if (counts.succeeded !== sites || maxConcurrent > CONCURRENCY) {
    throw new Error(`${maxConcurrent} concurrent calls, results ${JSON.stringify(counts)}`);
  }
  const title = `${name}, ${sites.toLocaleString('en')} sites of ${latencyMs} ms`;
  const ideal = (sites * latencyMs) / 1000 / CONCURRENCY;
  const calls = { name: 'the calls alone', values: [ideal] };
  return [
    compare(`${title}: run`, 's', [seconds], calls, { atMost: maxRatio }),
    {
      name: `${title}: peak memory of the panel`,
      value: memoryMb,
      unit: 'MB',
      limit: `at most ${maxMemoryMb} MB`,
      met: memoryMb <= maxMemoryMb,
    },
    figure(`${title}: accepted after`, 'ms', [acceptedMs]),
    figure(`${title}: page of sites during the run, median`, 'ms', responseTimes),
    figure(`${title}: page of sites during the run, maximum`, 'ms', [Math.max(...responseTimes)]),
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
