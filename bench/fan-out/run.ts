/**
 * One run over 10,000 sites that each take 200 ms, 50 at once: how much longer than the calls alone
 * it takes, how much memory the panel needs, and whether it still answers meanwhile.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '@steward/panel/config.ts';
import { createLogger } from '@steward/panel/lib/logger.ts';
import { openPanel } from '@steward/panel/panel.ts';
import { median } from '../median.ts';
import { startPanelProcess } from '../panel-process.ts';

const SITES = Number(process.env.SITES ?? 10_000);
const LATENCY_MS = 200;
const AT_ONCE = 50;
const REQUIRED = { ratio: 1.15, memoryMb: 400 };
const VERSIONS = { cms_version: '6.6.2', php_version: '8.3.12', plugin_version: '1.4.0' };

const dataDir = mkdtempSync(join(tmpdir(), 'steward-bench-'));
const env = {
  DATA_DIR: dataDir,
  ALLOW_PRIVATE_SITES: 'true',
  SITE_CALLS_AT_ONCE: String(AT_ONCE),
  SITE_CALLS_PER_ADDRESS: String(AT_ONCE),
};

const { key, connect } = await seed();
const sites = fork(join(import.meta.dirname, 'sites.ts'), [String(SITES), String(LATENCY_MS), key]);
const [port] = (await once(sites, 'message')) as [number];
await connect(port);
const panel = await startPanelProcess(env);
try {
  const ids = Array.from({ length: SITES }, (_, index) => index + 1);
  const began = performance.now();
  const { run_id } = await panel.owner.ask<{ run_id: number }>(
    'POST',
    '/remote/update',
    { site_ids: ids },
    { headers: { prefer: 'respond-async' } },
  );
  const accepted = performance.now() - began;
  const answers: number[] = [];
  let counts: Record<string, number>;
  for (;;) {
    const asked = performance.now();
    await panel.owner.ask('GET', '/panel/sites');
    answers.push(performance.now() - asked);
    const run = await panel.owner.ask<{ status: string; counts: Record<string, number> }>(
      'GET',
      `/panel/runs/${run_id}?limit=1`,
    );
    counts = run.counts;
    if (run.status === 'finished') break;
    await sleep(250);
  }
  const seconds = (performance.now() - began) / 1000;
  sites.send('how many at once?');
  const [mostAtOnce] = (await once(sites, 'message')) as [number];
  report({ seconds, accepted, answers, counts, mostAtOnce });
} finally {
  await panel.stop();
  sites.disconnect();
  rmSync(dataDir, { recursive: true, force: true });
}

type Measured = {
  seconds: number;
  accepted: number;
  answers: number[];
  counts: Record<string, number>;
  mostAtOnce: number;
};

function report({ seconds, accepted, answers, counts, mostAtOnce }: Measured): void {
  const ideal = (SITES * LATENCY_MS) / 1000 / AT_ONCE;
  const ratio = seconds / ideal;
  const memoryMb = panel.peakMemoryMb();
  const [usual, slowest] = [median(answers), Math.max(...answers)].map(Math.round);
  print(`${SITES} sites, ${LATENCY_MS} ms each, ${AT_ONCE} at once: ${JSON.stringify(counts)}`);
  print(`the sites saw ${mostAtOnce} calls at once, at most ${AT_ONCE}`);
  print(`accepted after ${Math.round(accepted)} ms; finished after ${seconds.toFixed(1)} s`);
  print(`ratio to the calls alone (${ideal} s): ${ratio.toFixed(2)}, at most ${REQUIRED.ratio}`);
  print(`memory of the panel at its peak: ${memoryMb} MB, under ${REQUIRED.memoryMb}`);
  print(`the page of sites meanwhile: ${usual} ms, at worst ${slowest} ms`);
  const isGood = counts.succeeded === SITES && ratio <= REQUIRED.ratio && mostAtOnce <= AT_ONCE;
  if (!isGood || memoryMb >= REQUIRED.memoryMb) process.exitCode = 1;
}

/** The sites are there before their addresses are known. */
async function seed() {
  const opened = await openPanel(loadConfig({ ...env, RATE_LIMIT: 'off' }), createLogger('warn'));
  const origin = { actor: 'system', via: 'command_line' } as const;
  const order = { planName: 'Bench', siteLimit: SITES, expiresAt: null, count: 1 };
  const [license] = await opened.services.licenses.create(order, origin);
  const license_key = license?.license_key ?? '';
  return {
    key: license_key,
    async connect(port: number) {
      for (let index = 0; index < SITES; index++) {
        const site_url = `http://127.0.0.1:${port}/s${index}`;
        await opened.services.activations.activate({ license_key, site_url, ...VERSIONS }, origin);
      }
      await opened.close();
    },
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
