/** Writes the stored figures of all benchmarks into `docs/performance.md`, with one plot per file beside it. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchmarkResult, RESULTS_DIR, readResult } from '../results.ts';
import { drawPlot } from './plot.ts';
import { describeFigures, replaceFigures } from './table.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const PAGE = join(DOCS, 'performance.md');
const PLOTS = join(DOCS, 'performance');

const results = readdirSync(RESULTS_DIR)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map(readResult);

rmSync(PLOTS, { recursive: true, force: true });
mkdirSync(PLOTS, { recursive: true });
for (const { benchmark, plots } of results) {
  plots.forEach((plot, index) => {
    writeFileSync(join(PLOTS, nameOfPlot(benchmark, index)), drawPlot(plot));
  });
}
const page = readFileSync(PAGE, 'utf8');
writeFileSync(PAGE, replaceFigures(page, `${describeFigures(results)}\n\n${listPlots(results)}`));
process.stdout.write(`Wrote the figures of ${results.length} benchmarks to docs/performance.md.\n`);

function listPlots(all: BenchmarkResult[]): string {
  return all
    .flatMap(({ benchmark, plots }) =>
      plots.map(({ title }, index) => `![${title}](performance/${nameOfPlot(benchmark, index)})`),
    )
    .join('\n\n');
}

function nameOfPlot(benchmark: string, index: number): string {
  return index === 0 ? `${benchmark}.svg` : `${benchmark}-${index + 1}.svg`;
}
