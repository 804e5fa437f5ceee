/**
 * Measures the license API as users run it: `steward serve` as a process, compared with baseline servers that receive
 * the same requests in turn. The arguments are the groups to run; default: all.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureActivations } from './activate.ts';
import { measureChecks } from './check.ts';
import { measureProcesses } from './processes.ts';
import { measureReports } from './reports.ts';
import { seedPanel } from './seed.ts';
import type { Server } from './servers.ts';

const GROUPS = {
  check: measureChecks,
  reports: measureReports,
  activate: measureActivations,
  processes: measureProcesses,
};
type Group = keyof typeof GROUPS;

const SITES = Number(process.env.SITES ?? 4000);
const LICENSES = Number(process.env.LICENSES ?? 1000);

const chosen = process.argv.slice(2);
for (const name of chosen.length > 0 ? chosen : Object.keys(GROUPS)) await run(name as Group);

async function run(group: Group): Promise<void> {
  const measure = GROUPS[group];
  if (!measure) throw new Error(`Choose from: ${Object.keys(GROUPS).join(', ')}`);
  process.stdout.write(`\n${group}\n`);
  const dataDir = mkdtempSync(join(tmpdir(), 'steward-bench-'));
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0' };
  const licenses = group === 'activate' ? LICENSES : 0;
  const seed = await seedPanel(env, { sites: SITES, licenses });
  const servers: Server[] = [];
  try {
    await measure(env, seed, (server) => servers.push(server));
  } finally {
    for (const server of servers) await server.stop();
    await seed.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
