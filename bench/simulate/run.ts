/**
 * Plays the check-ins of a fleet in compressed time against a panel process, and prints load, response times and growth of
 * the database, also for 1,000,000 sites. See bench/README.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@steward/panel/logger';
import { loadConfig, openPanel } from '@steward/panel/program';
import { createCpuTimer } from '../fleet/cpu-time.ts';
import { createRandom } from '../fleet/names.ts';
import { startPanelProcess } from '../panel-process.ts';
import { saveResults } from '../results.ts';
import { fillSites } from './fill.ts';
import { describeOptions, parseOptions, type SimulateOptions, USAGE } from './options.ts';
import { play } from './play.ts';
import { createRows, describePlay, type Measured } from './report.ts';
import { createSchedule, DAY_SECONDS } from './schedule.ts';
import { createSimulatedSites } from './simulated-sites.ts';
import { readStats } from './table-stats.ts';

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

const options = readOptions();
if (options) {
  const measured = await simulate(options);
  if (measured) {
    for (const line of describePlay(measured)) print(line);
    saveResults('simulate', createRows(measured), [], describeOptions(options));
  } else {
    print('Interrupted: no results.');
    process.exitCode = 1;
  }
}

function readOptions(): SimulateOptions | null {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    process.exitCode = 2;
    return null;
  }
}

/** Returns null if a signal interrupted the simulation. */
async function simulate({
  sites: count,
  days,
  minutes,
}: SimulateOptions): Promise<Measured | null> {
  const dataDir = mkdtempSync(join(tmpdir(), 'steward-simulate-'));
  const cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  try {
    // No pings: the sites do not exist.
    const env = { DATA_DIR: dataDir, RATE_LIMIT: 'off', PING_MINUTES: '0' };
    const panel = await openPanel(loadConfig(env), createLogger('warn'));
    cleanUp.defer(panel.close);
    const empty = await readStats(panel, { compact: false });
    print(`Storing ${count} sites.`);
    const sites = createSimulatedSites(count, panel.secrets);
    await fillSites(panel, sites, interrupted.signal);
    const served = await startPanelProcess(env);
    cleanUp.defer(served.stop);
    interrupted.signal.throwIfAborted();
    const before = await readStats(panel, { compact: true });

    const schedule = createSchedule(count, days, createRandom(5));
    const realRate = schedule.at.length / (days * DAY_SECONDS);
    print(`Playing ${schedule.at.length} check-ins.`);
    const cpuTime = createCpuTimer(served.pid, dataDir);
    const cpuBefore = cpuTime();
    const timeLimit = minutes === null ? [] : [AbortSignal.timeout(minutes * 60_000)];
    const signal = AbortSignal.any([interrupted.signal, ...timeLimit]);
    const port = Number(new URL(served.url).port);
    const played = await play({ port, schedule, sites, realRate, signal });
    const cpuMs = cpuTime() - cpuBefore;
    if (interrupted.signal.aborted) return null;

    const end = await readStats(panel, { compact: false });
    const after = await readStats(panel, { compact: true });
    const updatedPlugins = sites.countUpdates();
    const stats = { empty, before, end, after };
    return { sites: count, played, realRate, cpuMs, updatedPlugins, stats };
  } catch (error) {
    if (interrupted.signal.aborted) return null;
    throw error;
  } finally {
    await cleanUp.disposeAsync();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
