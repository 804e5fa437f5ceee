/**
 * The list of sites, its search and what stands beside it, with 1,000 sites and with 100,000: over
 * HTTP, in turn, so that what else the machine does falls on both alike.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newPerson, startPanelProcess } from '../panel-process.ts';
import { cpuTimeOf } from './cpu-time.ts';
import { fill, grantHalf } from './fill.ts';
import { compareInBrowser } from './in-browser.ts';
import { type Times, timeOf, timesOf } from './measure.ts';
import { type Asked, REQUESTS } from './requests.ts';

const SIZES = {
  small: Number(process.env.SMALL ?? 1000),
  large: Number(process.env.LARGE ?? 100_000),
};
const ROUNDS = Number(process.env.ROUNDS ?? 40);
const ONLY = process.env.ONLY ?? '';
const REQUIRED = { p95Ms: 30, ratio: 2 };

/** Filling takes longer than measuring: a folder that is named is kept, and used again. */
const folder = process.env.FLEET_DIR ?? mkdtempSync(join(tmpdir(), 'steward-bench-'));

type Fleet = Awaited<ReturnType<typeof openFleet>>;

async function openFleet(name: string, sites: number) {
  const env = { DATA_DIR: join(folder, name), RATE_LIMIT: 'off' };
  await fill(env, sites);
  const panel = await startPanelProcess(env);
  const manager = await newPerson(panel.url, env, `manager-${Date.now()}@example.com`, 'manager');
  await grantHalf(env, manager.id);
  const cpuTime = cpuTimeOf(panel.pid, env.DATA_DIR);
  return { panel, cpuTime, cookies: { owner: panel.owner.cookie, manager: manager.cookie } };
}

const ask = ({ panel, cookies }: Fleet, { path, as }: Asked) =>
  timeOf(panel.url + path, cookies[as]);

async function compare(small: Fleet, large: Fleet, asked: Asked): Promise<Compared> {
  const times = { small: [] as number[], large: [] as number[] };
  const cpu = { small: [] as number[], large: [] as number[] };
  const fleets = { small, large };
  for (const fleet of [small, large, small, large]) await ask(fleet, asked);
  for (let round = 0; round < ROUNDS; round++) {
    for (const size of ['small', 'large'] as const) {
      const before = fleets[size].cpuTime();
      times[size].push(await ask(fleets[size], asked));
      cpu[size].push(fleets[size].cpuTime() - before);
    }
  }
  const of = (size: 'small' | 'large') => ({
    ...timesOf(times[size]),
    cpu: timesOf(cpu[size]).p50,
  });
  return { small: of('small'), large: of('large') };
}

/** `cpu`: how long the panel and its database computed for it, the median. */
type Measured = Times & { cpu: number };
type Compared = { small: Measured; large: Measured };

const ratioOf = ({ small, large }: Compared, at: keyof Measured) => large[at] / small[at];
const isGood = (times: Compared) =>
  times.large.p95 <= REQUIRED.p95Ms && ratioOf(times, 'p95') <= REQUIRED.ratio;

/** Once more when it was missed: others on the machine can only make it slower than it is. */
async function measure(small: Fleet, large: Fleet, asked: Asked): Promise<Compared> {
  const times = await compare(small, large, asked);
  return asked.isHeld && !isGood(times) ? compare(small, large, asked) : times;
}

const missed: string[] = [];
const fleets: Fleet[] = [];
try {
  const small = await openFleet('small', SIZES.small);
  fleets.push(small);
  const large = await openFleet('large', SIZES.large);
  fleets.push(large);
  const columns = ['p50', 'p95', 'cpu'];
  print(
    row(
      '',
      `${SIZES.small}: p50`,
      'p95',
      'cpu',
      `${SIZES.large}: p50`,
      'p95',
      'cpu',
      ...columns.map((name) => `× ${name}`),
    ),
  );
  for (const asked of REQUESTS.filter(({ name, as }) => `${as}: ${name}`.includes(ONLY))) {
    const times = await measure(small, large, asked);
    const name = `${asked.as}: ${asked.name}`;
    const isMissed = asked.isHeld && !isGood(times);
    if (isMissed) missed.push(name);
    const kinds = ['p50', 'p95', 'cpu'] as const;
    const ms = [times.small, times.large].flatMap((each) => kinds.map((kind) => each[kind]));
    const ratios = kinds.map((kind) => ratioOf(times, kind));
    const cells = [
      ...ms.map((value) => value.toFixed(1)),
      ...ratios.map((value) => value.toFixed(2)),
    ];
    const mark = isGood(times) ? '' : asked.isHeld ? '  missed' : '  over';
    print(row(name, ...cells) + mark);
  }
  const limits = `pages and searches of an owner: p95 at most ${REQUIRED.p95Ms} ms and ${REQUIRED.ratio} × that of ${SIZES.small} sites`;
  print(
    missed.length === 0 ? `PASS: ${limits}` : `FAIL: ${limits}; missed by ${missed.join(', ')}`,
  );
  if (missed.length > 0) process.exitCode = 1;
  if (process.env.SKIP_BROWSER !== '1') {
    const visitor = ({ panel, cookies }: Fleet) => ({ url: panel.url, cookie: cookies.owner });
    await compareInBrowser(visitor(small), visitor(large), (...cells) => print(row(...cells)));
  }
} finally {
  for (const { panel } of fleets) await panel.stop();
  if (!process.env.FLEET_DIR) rmSync(folder, { recursive: true, force: true });
}

function row(name: string, ...cells: string[]): string {
  return name.padEnd(36) + cells.map((cell) => cell.padStart(11)).join('');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
