/**
 * One run over many sites, 50 at once: how much longer than the calls alone it takes, how much memory
 * the panel needs, and whether it still answers meanwhile.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPanel } from '@steward/panel/panel.ts';
import { loadConfig } from '@steward/panel/platform/config.ts';
import { createLogger } from '@steward/panel/platform/logger.ts';
import { median } from '../median.ts';
import { startPanelProcess } from '../panel-process.ts';

type Scenario = { sites: number; latencyMs: number; mostRatio: number };

const SCENARIOS: Scenario[] = [
  { sites: 10_000, latencyMs: 200, mostRatio: 1.35 },
  { sites: 2000, latencyMs: 1000, mostRatio: 1.06 },
];
const AT_ONCE = 50;
/** So many servers, each of which the panel calls twice at once, as it does by default. */
const ADDRESSES = 100;
const MOST_MEMORY_MB = 300;
const VERSIONS = { cms_version: '6.6.2', php_version: '8.3.12', plugin_version: '1.4.0' };

for (const scenario of SCENARIOS) await measure(scenario);

async function measure(scenario: Scenario): Promise<void> {
  const { sites: count, latencyMs } = scenario;
  const dataDir = mkdtempSync(join(tmpdir(), 'steward-bench-'));
  const env = {
    DATA_DIR: dataDir,
    ALLOW_PRIVATE_SITES: 'true',
    SITE_CALLS_AT_ONCE: String(AT_ONCE),
  };
  const { key, connect } = await seed(env, count);
  const sites = fork(join(import.meta.dirname, 'sites.ts'), [
    String(count),
    String(latencyMs),
    key,
  ]);
  const [port] = (await once(sites, 'message')) as [number];
  await connect(port);
  const panel = await startPanelProcess(env);
  try {
    const run = await watchRun(panel.owner, count);
    sites.send('how many at once?');
    const [mostAtOnce] = (await once(sites, 'message')) as [number];
    report(scenario, { ...run, mostAtOnce, memoryMb: panel.peakMemoryMb() });
  } finally {
    await panel.stop();
    sites.disconnect();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Owner = Awaited<ReturnType<typeof startPanelProcess>>['owner'];

async function watchRun(owner: Owner, count: number) {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const began = performance.now();
  const { run_id } = await owner.ask<{ run_id: number }>(
    'POST',
    '/remote/update',
    { site_ids: ids },
    { headers: { prefer: 'respond-async' } },
  );
  const accepted = performance.now() - began;
  const answers: number[] = [];
  for (;;) {
    const asked = performance.now();
    await owner.ask('GET', '/panel/sites');
    answers.push(performance.now() - asked);
    const { status, counts } = await owner.ask<{ status: string; counts: Record<string, number> }>(
      'GET',
      `/panel/runs/${run_id}?limit=1`,
    );
    const seconds = (performance.now() - began) / 1000;
    if (status === 'finished') return { seconds, accepted, answers, counts };
    await sleep(250);
  }
}

type Measured = {
  seconds: number;
  accepted: number;
  answers: number[];
  counts: Record<string, number>;
  mostAtOnce: number;
  memoryMb: number;
};

function report({ sites, latencyMs, mostRatio }: Scenario, measured: Measured): void {
  const { seconds, accepted, answers, counts, mostAtOnce, memoryMb } = measured;
  const ideal = (sites * latencyMs) / 1000 / AT_ONCE;
  const ratio = seconds / ideal;
  const [usual, slowest] = [median(answers), Math.max(...answers)].map(Math.round);
  print(`${sites} sites, ${latencyMs} ms each, ${AT_ONCE} at once: ${JSON.stringify(counts)}`);
  print(`  the sites saw ${mostAtOnce} calls at once, at most ${AT_ONCE}`);
  print(`  accepted after ${Math.round(accepted)} ms; finished after ${seconds.toFixed(1)} s`);
  print(`  ratio to the calls alone (${ideal} s): ${ratio.toFixed(3)}, at most ${mostRatio}`);
  print(`  memory of the panel at its peak: ${memoryMb} MB, at most ${MOST_MEMORY_MB}`);
  print(`  the page of sites meanwhile: ${usual} ms, at worst ${slowest} ms`);
  const isGood = counts.succeeded === sites && ratio <= mostRatio && mostAtOnce <= AT_ONCE;
  if (!isGood || memoryMb > MOST_MEMORY_MB) process.exitCode = 1;
}

/** The sites are there before their addresses are known. */
async function seed(env: NodeJS.ProcessEnv, count: number) {
  const opened = await openPanel(loadConfig({ ...env, RATE_LIMIT: 'off' }), createLogger('warn'));
  const origin = { actor: 'system', via: 'command_line' } as const;
  const order = { planName: 'Bench', siteLimit: count, expiresAt: null, count: 1 };
  const [license] = await opened.services.licenses.create(order, origin);
  const license_key = license?.license_key ?? '';
  return {
    key: license_key,
    async connect(port: number) {
      for (let index = 0; index < count; index++) {
        const site_url = `http://127.0.${1 + (index % ADDRESSES)}.1:${port}/s${index}`;
        await opened.services.activations.activate({ license_key, site_url, ...VERSIONS }, origin);
      }
      await opened.close();
    },
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
