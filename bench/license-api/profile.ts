/**
 * Shows what a request costs: the functions of the panel with the highest CPU time of their own, and the statements of
 * PostgreSQL with the highest total time. The argument is the request: check, verify, unchanged, changed, validate or activate.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, type RequestSource } from '../load.ts';
import {
  activations,
  buildInventory,
  checkIns,
  reports,
  validations,
  verifications,
} from './requests.ts';
import { type Seed, seedPanel, VERSIONS } from './seed.ts';
import { type Server, startPanel } from './servers.ts';
import { startWithStatistics } from './statement-statistics.ts';

const CONNECTIONS = Number(process.env.CONNECTIONS ?? 64);
const SECONDS = Number(process.env.SECONDS ?? 8);
const LINES = 15;

const SOURCES: Record<string, (seed: Seed) => RequestSource[]> = {
  check: ({ sites }) => checkIns(sites, CONNECTIONS),
  verify: ({ sites }) => verifications(sites, CONNECTIONS),
  unchanged: ({ sites }) => reports(sites, CONNECTIONS, { isChanging: false }),
  changed: ({ sites }) => reports(sites, CONNECTIONS, { isChanging: true }),
  validate: ({ sites }) => validations(sites, CONNECTIONS),
  activate: ({ licenses }) => activations(licenses, CONNECTIONS, VERSIONS),
};

const dataDir = mkdtempSync(join(tmpdir(), 'steward-bench-'));
/** `PROFILE_DIR` keeps the profile, for example for the developer tools of a browser. */
const profileDir = process.env.PROFILE_DIR ?? join(dataDir, 'profiles');
const env = { ...process.env, DATA_DIR: dataDir, PORT: '0' };
const database = await startWithStatistics(dataDir);
const seed = await seedPanel(env, { sites: 2000, licenses: 500 });
let panel: Server | undefined;
try {
  const sources = SOURCES[process.argv[2] ?? '']?.(seed);
  if (!sources) throw new Error(`Choose from: ${Object.keys(SOURCES).join(', ')}`);
  const wanted = process.argv[2] ?? '';
  if (wanted.endsWith('changed')) {
    for (const site of seed.sites.slice(0, CONNECTIONS)) await seed.report(site, buildInventory());
  }
  const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  panel = await startPanel(env, { role: 'web', nodeOptions });
  const options = { ports: panel.ports, sources };
  await load({ ...options, seconds: 3 });
  await database.resetStatistics();
  const { requests, seconds, p50Ms, p99Ms, failures } = await load({
    ...options,
    seconds: SECONDS,
  });
  print(
    `${Math.round(requests / seconds)} requests/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
  );
  print(`${failures.length} failures ${failures[0] ?? ''}`);
  print('\nStatement: share of the time, ms per call, calls per request');
  for (const { query, share, mean, calls } of await database.readStatistics(LINES)) {
    const text = query.replace(/\s+/g, ' ').slice(0, 110);
    print(
      `${(share * 100).toFixed(1)} %  ${mean.toFixed(3)}  ${(calls / requests).toFixed(3)}  ${text}`,
    );
  }
  await panel.stop();
  panel = undefined;
  print('\nFunction: share of the CPU time');
  for (const [name, share] of readProfile(profileDir).slice(0, LINES * 2)) {
    print(`${(share * 100).toFixed(1)} %  ${name}`);
  }
} finally {
  await panel?.stop();
  await seed.close();
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

type CpuProfile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
};

/** Sums the time of each function itself, without the functions that it calls. */
function readProfile(dir: string): [string, number][] {
  const [file = ''] = readdirSync(dir);
  const profile = JSON.parse(readFileSync(join(dir, file), 'utf8')) as CpuProfile;
  const names = new Map(
    profile.nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || '(anonymous)'} ${url.split('/').at(-1)}:${lineNumber + 1}`,
    ]),
  );
  const micros = new Map<string, number>();
  for (const [index, id] of profile.samples.entries()) {
    const name = names.get(id) ?? '';
    micros.set(name, (micros.get(name) ?? 0) + (profile.timeDeltas[index] ?? 0));
  }
  for (const name of micros.keys()) if (/^\((idle|program)\)/.test(name)) micros.delete(name);
  const total = [...micros.values()].reduce((sum, time) => sum + time, 0);
  return [...micros]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, time]): [string, number] => [name, time / total]);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
