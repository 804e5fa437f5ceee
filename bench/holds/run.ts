/**
 * Measures what rules, quarantine, preflight and rollouts cost in a large fleet: twenty plugins per site, rules for all
 * sites and for a tag, two versions in quarantine, and a rollout with all sites. Calls the services in this process. See
 * bench/README.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHoldFinder, createItemPlanner } from '@steward/panel/features';
import { createLogger } from '@steward/panel/logger';
import { loadConfig, openPanel } from '@steward/panel/program';
import { createCpuTimer } from '../fleet/cpu-time.ts';
import { fill } from '../fleet/fill.ts';
import { percentiles } from '../fleet/measure.ts';
import { createInventory } from '../software-page/inventory.ts';
import { addHolds, addRollout } from './seed.ts';

const SITES = Number(process.env.SITES ?? 2000);
const ROUNDS = Number(process.env.ROUNDS ?? 20);
/** For 10,000 sites, the most that one run has. */
const REQUIRED_CPU_MS = 300;
/** The worker decides about this many tasks at once. */
const DISPATCHED = 200;
const OWNER = { id: 1, role: 'owner' } as const;

const folder = process.env.FLEET_DIR ?? mkdtempSync(join(tmpdir(), 'steward-bench-'));
const env = { DATA_DIR: join(folder, 'holds') };
await fill(env, SITES, createInventory);
const panel = await openPanel(loadConfig(env), createLogger('warn'));
try {
  const { services, connection } = panel;
  const { db, pool } = connection;
  const cpuTime = createCpuTimer(process.pid, env.DATA_DIR);
  await addHolds(pool);
  const rolloutId = await addRollout(pool);
  const ids = (await pool.query('SELECT id FROM sites ORDER BY id')).rows.map(({ id }) => id);
  const exceeded: string[] = [];
  const measure = async (name: string, work: () => Promise<unknown>) => {
    const times: number[] = [];
    const cpu: number[] = [];
    // The first two rounds warm up.
    for (let round = -2; round < ROUNDS; round++) {
      const [startedAt, cpuBefore] = [performance.now(), cpuTime()];
      await work();
      if (round < 0) continue;
      times.push(performance.now() - startedAt);
      cpu.push(cpuTime() - cpuBefore);
    }
    const { p50, p95 } = percentiles(times);
    const used = percentiles(cpu).p50;
    if (used > REQUIRED_CPU_MS) exceeded.push(name);
    const cells = [p50, p95, used].map((value) => value.toFixed(0).padStart(9)).join('');
    print(`${name.padEnd(44)}${cells}${used > REQUIRED_CPU_MS ? '  limit exceeded' : ''}`);
  };

  print(`${`${SITES} sites, ms`.padEnd(44)}      p50      p95      cpu`);
  await measure('preview of an update of all sites', () => services.updatePlan.preview(OWNER, ids));
  await measure('preflight of all sites', () => services.preflight.read(OWNER, ids));
  await measure('holds of a run of all sites', () =>
    db.transaction().execute(async (trx) => {
      const run = { kind: 'update', request: {} } as const;
      const { chooseItems } = await createItemPlanner(trx, run, ids, new Date());
      return ids.map(chooseItems);
    }),
  );
  await measure(`quarantine at the dispatch of ${DISPATCHED} tasks`, () =>
    createHoldFinder(db, ids.slice(0, DISPATCHED), { now: new Date(), onlyQuarantine: true }),
  );
  await measure('poll of a rollout', () => services.rollouts.show(OWNER, rolloutId));
  await measure('list of software with holds', () => services.software.list(OWNER, {}));
  const limit = `at most ${REQUIRED_CPU_MS} ms of CPU time`;
  print(exceeded.length === 0 ? `PASS: ${limit}` : `FAIL: ${limit}; ${exceeded.join(', ')}`);
  if (exceeded.length > 0) process.exitCode = 1;
} finally {
  await panel.close();
  if (!process.env.FLEET_DIR) rmSync(folder, { recursive: true, force: true });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
