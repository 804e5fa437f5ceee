/**
 * Compares a panel with 1,000 sites to a panel with 100,000 sites: the list of sites, its search and related requests
 * over HTTP. The requests alternate between the panels, so that other load on the machine affects both equally.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Percentiles, percentiles, timeRequest } from '../fleet/measure.ts';
import { type Fleet, openFleet } from '../fleet/open-fleet.ts';
import { compareInBrowser } from './in-browser.ts';
import { type MeasuredRequest, REQUESTS } from './requests.ts';

const SIZES = {
  small: Number(process.env.SMALL ?? 1000),
  large: Number(process.env.LARGE ?? 100_000),
};
const ROUNDS = Number(process.env.ROUNDS ?? 40);
const ONLY = process.env.ONLY ?? '';
const REQUIRED = { p95Ms: 30, ratio: 2 };

/** Filling takes longer than measuring, so FLEET_DIR keeps the databases for the next run. */
const folder = process.env.FLEET_DIR ?? mkdtempSync(join(tmpdir(), 'steward-bench-'));

const send = ({ panel, cookies }: Fleet, { path, as }: MeasuredRequest) =>
  timeRequest(panel.url + path, cookies[as]);

async function compare(small: Fleet, large: Fleet, request: MeasuredRequest): Promise<Compared> {
  const times = { small: [] as number[], large: [] as number[] };
  const cpu = { small: [] as number[], large: [] as number[] };
  const fleets = { small, large };
  for (const fleet of [small, large, small, large]) await send(fleet, request);
  for (let round = 0; round < ROUNDS; round++) {
    for (const size of ['small', 'large'] as const) {
      const before = fleets[size].cpuTime();
      times[size].push(await send(fleets[size], request));
      cpu[size].push(fleets[size].cpuTime() - before);
    }
  }
  const summarize = (size: 'small' | 'large') => ({
    ...percentiles(times[size]),
    cpu: percentiles(cpu[size]).p50,
  });
  return { small: summarize('small'), large: summarize('large') };
}

/** `cpu`: the median CPU time of the panel and its database. */
type Measured = Pick<Percentiles, 'p50' | 'p95'> & { cpu: number };
type Compared = { small: Measured; large: Measured };

const computeRatio = ({ small, large }: Compared, metric: keyof Measured) =>
  large[metric] / small[metric];
const isWithinLimits = (times: Compared) =>
  times.large.p95 <= REQUIRED.p95Ms && computeRatio(times, 'p95') <= REQUIRED.ratio;

/** Measures a second time when a limit is exceeded, because other load on the machine may be the cause. */
async function measure(small: Fleet, large: Fleet, request: MeasuredRequest): Promise<Compared> {
  const times = await compare(small, large, request);
  return request.hasLimit && !isWithinLimits(times) ? compare(small, large, request) : times;
}

const exceeded: string[] = [];
const fleets: Fleet[] = [];
try {
  const small = await openFleet(join(folder, 'small'), SIZES.small);
  fleets.push(small);
  const large = await openFleet(join(folder, 'large'), SIZES.large);
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
  for (const request of REQUESTS.filter(({ name, as }) => `${as}: ${name}`.includes(ONLY))) {
    const times = await measure(small, large, request);
    const name = `${request.as}: ${request.name}`;
    const isExceeded = request.hasLimit && !isWithinLimits(times);
    if (isExceeded) exceeded.push(name);
    const metrics = ['p50', 'p95', 'cpu'] as const;
    const ms = [times.small, times.large].flatMap((each) => metrics.map((metric) => each[metric]));
    const ratios = metrics.map((metric) => computeRatio(times, metric));
    const cells = [
      ...ms.map((value) => value.toFixed(1)),
      ...ratios.map((value) => value.toFixed(2)),
    ];
    const mark = isWithinLimits(times) ? '' : request.hasLimit ? '  limit exceeded' : '  over';
    print(row(name, ...cells) + mark);
  }
  const limits = `pages and searches of an owner: p95 at most ${REQUIRED.p95Ms} ms and ${REQUIRED.ratio} × that of ${SIZES.small} sites`;
  print(
    exceeded.length === 0
      ? `PASS: ${limits}`
      : `FAIL: ${limits}; exceeded by ${exceeded.join(', ')}`,
  );
  if (exceeded.length > 0) process.exitCode = 1;
  if (process.env.SKIP_BROWSER !== '1') {
    const toLogin = ({ panel, cookies }: Fleet) => ({ url: panel.url, cookie: cookies.owner });
    await compareInBrowser(toLogin(small), toLogin(large), (...cells) => print(row(...cells)));
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
