/**
 * Compares the check-ins per second of one panel process with two baselines: one UPDATE per request (a simple
 * implementation) and an empty route (the limit of the HTTP library), and with a panel process that has metrics. All
 * receive the same requests in turn.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, postRequest } from '../load.ts';
import { median } from '../median.ts';
import { seedSites } from './seed.ts';

const VARIANTS = ['check', 'metrics', 'oneUpdate', 'empty'] as const;
type Variant = (typeof VARIANTS)[number];

const CONNECTIONS = 200;
const SITES = 5000;
const ROUNDS = 5;
const ROUND_SECONDS = 4;
/** Rates rise until the JIT compiler has optimised each server. */
const WARM_UP_SECONDS = 8;
const REQUIRED = { oneUpdate: 2, empty: 0.6, metrics: 0.93 };

const dataDir = mkdtempSync(join(tmpdir(), 'steward-bench-'));
const env = { ...process.env, DATA_DIR: dataDir, RATE_LIMIT: 'off', LOG_LEVEL: 'warn', PORT: '0' };

const seed = await seedSites(env, SITES);
// Each connection has its own sites, because real sites check in separately.
const requests = Array.from({ length: CONNECTIONS }, (_, connection) =>
  seed.bodies
    .filter((_, site) => site % CONNECTIONS === connection)
    .map((body) => postRequest('/api/v1/license/check', body)),
);
const servers = new Map<Variant, { child: ChildProcess; port: number }>();
try {
  for (const variant of VARIANTS) servers.set(variant, await startServer(variant));
  const rates: Record<Variant, number[]> = { check: [], metrics: [], oneUpdate: [], empty: [] };
  for (const variant of VARIANTS) await measure(variant, WARM_UP_SECONDS);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const variant of VARIANTS) rates[variant].push(await measure(variant, ROUND_SECONDS));
    print(
      `round ${round}: ${VARIANTS.map((name) => `${name} ${rates[name].at(-1)}/s`).join(', ')}`,
    );
  }
  report(rates);
} finally {
  for (const { child } of servers.values()) {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  }
  await seed.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function startServer(variant: Variant): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(join(import.meta.dirname, 'server.ts'), [variant], { env });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${variant} exited with code ${code}`)));
  });
  return { child, port };
}

async function measure(variant: Variant, seconds: number): Promise<number> {
  const port = servers.get(variant)?.port ?? 0;
  const result = await load({ port, seconds, requests });
  if (result.failures > 0) throw new Error(`${variant}: ${result.failures} requests failed`);
  return Math.round(result.requests / result.seconds);
}

function report(rates: Record<Variant, number[]>): void {
  const toOneUpdate = median(
    rates.check.map((rate, round) => rate / (rates.oneUpdate[round] ?? 1)),
  );
  const toEmpty = median(rates.check.map((rate, round) => rate / (rates.empty[round] ?? 1)));
  const withMetrics = median(rates.metrics.map((rate, round) => rate / (rates.check[round] ?? 1)));
  print('');
  print(`check-in                    ${median(rates.check)} requests/s`);
  print(`one UPDATE per request      ${median(rates.oneUpdate)} requests/s`);
  print(`empty route                 ${median(rates.empty)} requests/s`);
  print(`with metrics / check-in     ${withMetrics.toFixed(2)} (at least ${REQUIRED.metrics})`);
  print(`check-in / one UPDATE       ${toOneUpdate.toFixed(2)} (at least ${REQUIRED.oneUpdate})`);
  print(`check-in / empty route      ${toEmpty.toFixed(2)} (at least ${REQUIRED.empty})`);
  const isSlow = toOneUpdate < REQUIRED.oneUpdate || toEmpty < REQUIRED.empty;
  if (isSlow || withMetrics < REQUIRED.metrics) process.exitCode = 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
