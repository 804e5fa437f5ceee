import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

/** One measured figure. `docs/performance.md` shows all of them in one table. */
export type ResultRow = {
  name: string;
  value: number;
  unit: string;
  /** What the value is compared with, measured in the same run. */
  floor?: { name: string; value: number };
  /** The value divided by its floor. */
  ratio?: number;
  /** The limit in words, such as "ratio at least 0.5". Absent for figures without a limit. */
  limit?: string;
  met?: boolean;
};

/** One line of a plot. The x values of a plot are categories, such as numbers of connections. */
export type Series = { name: string; points: { x: string; y: number }[] };

export type Plot = { title: string; unit: string; series: Series[] };

export type BenchmarkResult = {
  benchmark: string;
  command: string;
  machine: string;
  measured_at: string;
  rows: ResultRow[];
  plots: Plot[];
};

export const RESULTS_DIR = join(import.meta.dirname, 'results');

/**
 * Prints the figures and stores them for `docs/performance.md`. Sets the exit code to 1 if a limit is missed. `options`:
 * those of the command.
 */
export function saveResults(
  benchmark: string,
  rows: ResultRow[],
  plots: Plot[] = [],
  options = '',
): void {
  const result: BenchmarkResult = {
    benchmark,
    command: `cd bench && npm run ${benchmark}${options && ` -- ${options}`}`,
    machine: describeMachine(),
    measured_at: new Date().toISOString().slice(0, 10),
    rows,
    plots,
  };
  for (const row of rows) process.stdout.write(`${describeRow(row)}\n`);
  mkdirSync(RESULTS_DIR, { recursive: true });
  const file = join(RESULTS_DIR, `${benchmark}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  if (rows.some(({ met }) => met === false)) process.exitCode = 1;
}

export function readResult(file: string): BenchmarkResult {
  return JSON.parse(readFileSync(join(RESULTS_DIR, file), 'utf8')) as BenchmarkResult;
}

/** Returns the stored figures of a benchmark that this run does not measure. */
export function readOtherRows(
  benchmark: string,
  isMeasured: (row: ResultRow) => boolean,
): ResultRow[] {
  const file = `${benchmark}.json`;
  if (!existsSync(join(RESULTS_DIR, file))) return [];
  return readResult(file).rows.filter((row) => !isMeasured(row));
}

function describeRow({ name, value, unit, floor, ratio, limit, met }: ResultRow): string {
  const compared = floor ? `, ${floor.name} ${formatNumber(floor.value)} ${unit}` : '';
  const divided = ratio === undefined ? '' : `, ratio ${ratio.toFixed(2)}`;
  const judged = limit === undefined ? '' : ` (${limit}: ${met ? 'met' : 'MISSED'})`;
  return `${name}: ${formatNumber(value)} ${unit}${compared}${divided}${judged}`;
}

/** Formats a figure with at most three significant digits below 100 and none after the point above it. */
export function formatNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? process.arch;
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${model}), ${memoryGb} GB, Node ${process.versions.node}`;
}
