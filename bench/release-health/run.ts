/**
 * Measures the page of a plugin in a fleet of 100,000 sites, each with ten groups of errors, for an owner and for a manager
 * with access to half of the sites; and the CPU time of a report with ten groups of errors more than of one without.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@steward/panel/logger';
import { loadConfig, openPanel } from '@steward/panel/program';
import { percentiles, timeRequest } from '../fleet/measure.ts';
import { createRandom } from '../fleet/names.ts';
import { type Fleet, openFleet } from '../fleet/open-fleet.ts';
import { median } from '../median.ts';
import { type ResultRow, saveResults } from '../results.ts';
import { createInventory } from '../software-page/inventory.ts';
import { fillErrors } from './fill-errors.ts';

const SITES = Number(process.env.LARGE ?? 100_000);
const ROUNDS = Number(process.env.ROUNDS ?? 80);
const REPORTS = Number(process.env.REPORTS ?? 300);
const REQUIRED = { p95Ms: 50, cpuMs: 2 };

const folder = process.env.FLEET_DIR ?? mkdtempSync(join(tmpdir(), 'steward-bench-'));
const dataDir = join(folder, 'release-health');
// The first start fills the fleet. The panel then starts again with the errors.
const filled = await openFleet(dataDir, SITES, createInventory);
await filled.panel.stop();
const env = { DATA_DIR: dataDir, RATE_LIMIT: 'off' };
await fillErrors(env);
const license = await createLicense();
const fleet = await openFleet(dataDir, SITES, createInventory);
try {
  saveResults('release-health', [...(await measurePages(fleet)), await measureReports(fleet)]);
} finally {
  await fleet.panel.stop();
  if (!process.env.FLEET_DIR) rmSync(folder, { recursive: true, force: true });
}

async function createLicense(): Promise<string> {
  const panel = await openPanel(loadConfig(env), createLogger('warn'));
  const origin = { actor: 'system', via: 'command_line' } as const;
  const input = { planName: 'Agency', siteLimit: 3, expiresAt: null, count: 1 };
  const [created] = await panel.services.licenses.create(input, origin);
  await panel.close();
  return created?.license_key ?? '';
}

async function measurePages({ panel, cookies }: Fleet): Promise<ResultRow[]> {
  const pages = [
    ['many sites', 'plugin', 'plugin-0/plugin-0.php'],
    ['some sites', 'plugin', 'plugin-40/plugin-40.php'],
    ['few sites', 'plugin', 'plugin-390/plugin-390.php'],
    ['core', 'core', 'core'],
  ] as const;
  const results: ResultRow[] = [];
  for (const as of ['owner', 'manager'] as const) {
    for (const [name, type, slug] of pages) {
      const path = `/panel/software/item?${new URLSearchParams({ type, slug })}`;
      const [times, floors]: number[][] = [[], []];
      // The first two rounds warm up. The session check is the floor of every request.
      for (let round = -2; round < ROUNDS; round++) {
        const floor = await timeRequest(`${panel.url}/panel/session`, cookies[as]);
        const time = await timeRequest(panel.url + path, cookies[as]);
        if (round < 0) continue;
        times?.push(time);
        floors?.push(floor);
      }
      const [{ p95 }, floor] = [percentiles(times ?? []), percentiles(floors ?? [])];
      process.stdout.write(`${as}: item on ${name}: p95 ${p95.toFixed(1)} ms\n`);
      results.push({
        ...{ name: `${as}: item on ${name}`, value: p95, unit: 'ms' },
        floor: { name: 'session check', value: floor.p95 },
        ...{ ratio: p95 / floor.p95, limit: `p95 at most ${REQUIRED.p95Ms} ms` },
        met: p95 <= REQUIRED.p95Ms,
      });
    }
  }
  return results;
}

/** Reports with and without errors in turn, so that other load on the machine affects both equally. */
async function measureReports({ panel, cpuTime }: Fleet): Promise<ResultRow> {
  const site = { license_key: license, site_url: 'https://reports.example.com' };
  const send = async (path: string, body: object) => {
    const response = await fetch(panel.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...site, ...body }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  const versions = { cms_version: '7.1', php_version: '8.3.12', plugin_version: '1.4.0' };
  await send('/api/v1/license/activate', versions);
  const inventory = createInventory(0, createRandom(7));
  const [plain, withErrors]: number[][] = [[], []];
  for (let round = -20; round < REPORTS; round++) {
    for (const hasErrors of [false, true]) {
      const before = cpuTime();
      await send('/api/v1/site/verify', {
        inventory,
        ...(hasErrors && { item_errors: createErrors() }),
      });
      if (round >= 0) (hasErrors ? withErrors : plain)?.push(cpuTime() - before);
    }
  }
  const [floor, value] = [median(plain ?? []), median(withErrors ?? [])];
  const more = value - floor;
  process.stdout.write(
    `report: ${floor.toFixed(2)} ms, with errors ${value.toFixed(2)} ms of CPU\n`,
  );
  return {
    ...{ name: 'report with ten groups of errors', value, unit: 'ms of CPU' },
    floor: { name: 'report without errors', value: floor },
    ...{ ratio: value / floor, limit: `at most ${REQUIRED.cpuMs} ms more` },
    met: more <= REQUIRED.cpuMs,
  };
}

/** Ten groups that the panel knows, with the same counts: as in a check-in of a site whose errors have not changed. */
function createErrors() {
  const now = new Date().toISOString();
  return {
    ...{ now, dropped: 0 },
    groups: Array.from({ length: 10 }, (_, index) => ({
      ...{ type: 'plugin', slug: 'plugin-3/plugin-3.php', version: '4.11', count: 30 },
      ...{ message: 'Uncaught Error: Call to undefined function sell()', request_kind: 'front' },
      ...{
        place: `includes/file-${index}.php:120`,
        is_confirmed: false,
        first_at: now,
        last_at: now,
      },
    })),
  };
}
