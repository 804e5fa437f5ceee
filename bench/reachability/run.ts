/** The cost of pinging a fleet, and the storage of a year. See bench/README.md. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHealthMonitor } from '@steward/panel/features';
import { createLogger } from '@steward/panel/logger';
import { loadConfig, openPanel, type Panel } from '@steward/panel/program';
import { createSiteClient } from '@steward/panel/site-client';
import { createCpuTimer } from '../fleet/cpu-time.ts';

const SITES = Number(process.env.SITES ?? 2000);
const FLEET = 10_000;
const ROUNDS = 3;
const INTERVAL_SECONDS = 300;
const CONCURRENCY = 50;
const LATENCY_MS = 200;
const ADDRESSES = 100;
const DAYS = 400;
const OUTAGES_PER_YEAR = 24;
const MAX_YEAR_KB = 1024;
const VERSIONS = { cms_version: '6.6.2', php_version: '8.3.12', plugin_version: '1.4.0' };
const ORIGIN = { actor: 'system', via: 'command_line' } as const;

const dataDir = mkdtempSync(join(tmpdir(), 'steward-bench-'));
const sites = fork(join(import.meta.dirname, 'sites.ts'), [String(LATENCY_MS)]);
const [port] = (await once(sites, 'message')) as [number];
const config = loadConfig({ DATA_DIR: dataDir, ALLOW_PRIVATE_SITES: 'true' });
const log = createLogger('warn');
const panel = await openPanel(config, log);
try {
  await connect(panel);
  await measureRounds(panel);
  await measureStorage(panel);
} finally {
  await panel.close();
  sites.disconnect();
  rmSync(dataDir, { recursive: true, force: true });
}

async function connect({ services }: Panel): Promise<void> {
  const input = { planName: 'Bench', siteLimit: SITES, expiresAt: null, count: 1 };
  const [license] = await services.licenses.create(input, ORIGIN);
  const license_key = license?.license_key ?? '';
  for (let index = 0; index < SITES; index++) {
    const site_url = `http://127.0.${1 + (index % ADDRESSES)}.1:${port}/s${index}`;
    await services.activations.activate({ license_key, site_url, ...VERSIONS }, ORIGIN);
  }
}

async function measureRounds({ connection, services, secrets }: Panel): Promise<void> {
  const { db } = connection;
  let now = new Date('2026-06-01T12:00:00Z');
  const siteClient = createSiteClient({
    ...config,
    timeouts: config.siteTimeouts,
    signer: services.signingKeys,
  });
  const monitor = createHealthMonitor(
    { ...services, db, secrets, siteClient, log, clock: { now: () => now } },
    { pingMinutes: INTERVAL_SECONDS / 60, maxConcurrent: CONCURRENCY },
  );
  await monitor.trackSites();
  const readCpuMs = createCpuTimer(process.pid, dataDir);
  for (let round = 1; round <= ROUNDS; round++) {
    now = new Date(now.getTime() + INTERVAL_SECONDS * 1100);
    const [startedAt, cpuBefore] = [performance.now(), readCpuMs()];
    let pings = 0;
    // Starts new pings as soon as others end, as the loop of a worker does.
    for (let started = await monitor.startDue(); started.length > 0; ) {
      pings += started.length;
      await Promise.all(started);
      started = await monitor.startDue();
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const cpuSeconds = ((readCpuMs() - cpuBefore) / 1000) * (FLEET / pings);
    const share = (cpuSeconds / INTERVAL_SECONDS) * 100;
    print(
      `round ${round}: ${pings} pings in ${seconds.toFixed(1)} s; for ${FLEET} sites ${cpuSeconds.toFixed(1)} s of CPU time per ${INTERVAL_SECONDS} s (${share.toFixed(0)} % of a core)`,
    );
  }
  await monitor.stop();
  await siteClient.close();
}

async function measureStorage({ connection: { pool } }: Panel): Promise<void> {
  await pool.query(
    `INSERT INTO site_days SELECT id, date '2025-01-01' + day, 288, 2, 600
     FROM sites, generate_series(1, $1) AS day ON CONFLICT DO NOTHING`,
    [DAYS],
  );
  await pool.query(
    `INSERT INTO outages (site_id, started_at, ended_at, reason, signal)
     SELECT id, now() - make_interval(days => outage), now(), 'site_down', 'home'
     FROM sites, generate_series(1, $1) AS outage`,
    [OUTAGES_PER_YEAR],
  );
  const { rows } = await pool.query<{ name: string; bytes: string }>(
    `SELECT name, pg_total_relation_size(name) AS bytes
     FROM unnest('{site_reachability,site_days,outages}'::text[]) AS name`,
  );
  for (const { name, bytes } of rows) {
    print(`${name}: ${(Number(bytes) / SITES / 1024).toFixed(1)} KB per site`);
  }
  const kilobytes = rows.reduce((sum, { bytes }) => sum + Number(bytes), 0) / SITES / 1024;
  print(
    `storage: ${kilobytes.toFixed(0)} KB per site with ${DAYS} days and ${OUTAGES_PER_YEAR} outages (limit ${MAX_YEAR_KB} KB)`,
  );
  if (kilobytes > MAX_YEAR_KB) process.exitCode = 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
