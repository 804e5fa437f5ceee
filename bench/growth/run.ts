/** How the database grows: per connected site, per check-in and report, and per updated plugin. See bench/README.md. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@steward/panel/logger';
import { loadConfig, openPanel, type Panel } from '@steward/panel/program';
import { createInBatches, startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { run, startPanelProcess } from '../panel-process.ts';
import { type ResultRow, saveResults } from '../results.ts';

const SITES = Number(process.env.SITES ?? 500);
const PLUGINS = 20;
const UPDATED_PLUGINS = 3;
const DAYS = 7;
const CHECK_INS_PER_DAY = 2;
/** The largest growth that a fleet of 1,000,000 sites can have in a year on a disk of 2 TB, with some room. */
const MAX_BYTES_PER_SITE_AND_DAY = 4096;

const dataDir = mkdtempSync(join(tmpdir(), 'steward-bench-'));
// No pings: `npm run reachability` measures their storage.
const env = { DATA_DIR: dataDir, ALLOW_PRIVATE_SITES: 'true', PING_MINUTES: '0' };
const panel = await startPanelProcess(env);
const opened = await openPanel(loadConfig(env), createLogger('warn'));
const license = await run<{ license_key: string }>(
  ['license', 'create', '--plan', 'Bench', '--site-limit', String(SITES)],
  env,
);
const fleet = await startFleet(panel.url, license.license_key);
try {
  await measure();
} finally {
  await fleet.stop();
  await opened.close();
  await panel.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const empty = await readSizes(opened);
  const sites = await createInBatches(SITES, (index) => fleet.add(`s${index}`, createState()));
  const connected = await readSizes(opened);
  const perSite = printGrowth('a connected site with 20 plugins', empty, connected, SITES);

  for (let day = 0; day < DAYS; day++) {
    await createInBatches(SITES, async (index) => {
      const { agent } = sites[index] ?? {};
      for (let check = 0; check < CHECK_INS_PER_DAY; check++) await agent?.panelClient.check();
      await agent?.reportInventory();
    });
  }
  const checked = await readSizes(opened);
  const daily = printGrowth('a day of check-ins', connected, checked, SITES * DAYS);

  await updateAll();
  const updated = await readSizes(opened);
  const update = printGrowth('an updated plugin', checked, updated, SITES * UPDATED_PLUGINS);
  const perDay = daily + (update * UPDATED_PLUGINS) / 7;
  const figure = (name: string, value: number): ResultRow => ({ name, value, unit: 'bytes' });
  saveResults('growth', [
    figure('a connected site with 20 plugins', perSite),
    figure('a site and day of check-ins and a report', daily),
    figure('an updated plugin', update),
    {
      ...figure(`a site and day with ${UPDATED_PLUGINS} updated plugins a week`, perDay),
      limit: `at most ${MAX_BYTES_PER_SITE_AND_DAY} bytes`,
      met: perDay <= MAX_BYTES_PER_SITE_AND_DAY,
    },
  ]);
}

function createState() {
  const plugins = Array.from({ length: PLUGINS }, (_, index) => {
    const pending = index < UPDATED_PLUGINS ? { newVersion: '2.0' } : {};
    return [`plugin-${index}/plugin-${index}.php`, { version: '1.0', active: true, ...pending }];
  });
  return { plugins: Object.fromEntries(plugins), themes: {}, core: { version: '6.0' } };
}

async function updateAll(): Promise<void> {
  const site_ids = Array.from({ length: SITES }, (_, index) => index + 1);
  const options = { headers: { prefer: 'respond-async' } };
  const { run_id } = await panel.owner.ask<{ run_id: number }>(
    'POST',
    '/remote/update',
    { site_ids },
    options,
  );
  for (;;) {
    const { status, counts } = await panel.owner.ask<{ status: string; counts: object }>(
      'GET',
      `/panel/runs/${run_id}?limit=1`,
    );
    if (status === 'finished') return print(`Run: ${JSON.stringify(counts)}`);
    await sleep(500);
  }
}

type Sizes = Map<string, number>;

/** Returns the size of each table with its indexes, without the space that PostgreSQL can use again. */
async function readSizes({ connection }: Panel): Promise<Sizes> {
  const owner = await connection.openAsOwner();
  try {
    await owner.pool.query('VACUUM FULL');
    const { rows } = await owner.pool.query<{ name: string; bytes: string }>(
      `SELECT coalesce(inhparent, c.oid)::regclass::text AS name, pg_total_relation_size(c.oid) AS bytes
       FROM pg_class c LEFT JOIN pg_inherits ON inhrelid = c.oid WHERE relkind = 'r' AND relnamespace IN
         (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'pgboss'))`,
    );
    const sizes: Sizes = new Map();
    for (const { name, bytes } of rows) sizes.set(name, (sizes.get(name) ?? 0) + Number(bytes));
    return sizes;
  } finally {
    await owner.close();
  }
}

/** Prints the growth per unit, and the tables that grew most. Returns the bytes per unit. */
function printGrowth(unit: string, before: Sizes, after: Sizes, units: number): number {
  const grown = [...after].map(([name, bytes]) => [name, bytes - (before.get(name) ?? 0)] as const);
  const total = grown.reduce((sum, [, bytes]) => sum + bytes, 0) / units;
  print(`${unit}: ${Math.round(total)} bytes`);
  for (const [name, bytes] of grown.toSorted(([, a], [, b]) => b - a).slice(0, 5)) {
    if (bytes > 0) print(`  ${name}: ${Math.round(bytes / units)}`);
  }
  return total;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
