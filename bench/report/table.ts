import { type BenchmarkResult, formatNumber, type ResultRow } from '../results.ts';

const BEGIN = '<!-- figures -->';
const END = '<!-- /figures -->';

/** Replaces what is between the two markers of the page. */
export function replaceFigures(page: string, figures: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`The page needs the lines ${BEGIN} and ${END}.`);
  return `${page.slice(0, begin + BEGIN.length)}\n${figures}\n${page.slice(end)}`;
}

/** Describes all figures: one table, and the command, machine and date of each benchmark. */
export function describeFigures(results: BenchmarkResult[]): string {
  const rows = results.flatMap(({ benchmark, rows }) =>
    rows.map((row) => `| ${[benchmark, ...cells(row)].join(' | ')} |`),
  );
  const sources = results.map(
    ({ benchmark, command, machine, measured_at }) =>
      `| ${benchmark} | \`${command}\` | ${machine} | ${measured_at} |`,
  );
  return [
    '| Benchmark | Figure | Measured | Floor | Ratio | Limit |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    '| Benchmark | Command | Machine | Date |',
    '|---|---|---|---|',
    ...sources,
  ].join('\n');
}

function cells({ name, value, unit, floor, ratio, limit, met }: ResultRow): string[] {
  return [
    name,
    `${formatNumber(value)} ${unit}`,
    floor ? `${floor.name}: ${formatNumber(floor.value)}` : '',
    ratio === undefined ? '' : ratio.toFixed(2),
    limit === undefined ? '' : met ? limit : `**missed**: ${limit}`,
  ];
}
