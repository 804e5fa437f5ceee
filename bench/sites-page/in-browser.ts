import { ensureScreensBuilt } from '@steward/web/ready';
import type { ResultRow } from '../results.ts';
import { type BrowserTimes, measureInBrowser } from './browser.ts';
import type { Panel } from './signed-in-context.ts';

const ROUNDS = 5;
const FIRST_ROW_MAX_MS = 300;

const ROWS: [label: string, field: keyof BrowserTimes][] = [
  ['first row, empty cache', 'firstRowMs'],
  ['first row, files in the cache', 'cachedFirstRowMs'],
  ['first row, after a click on Sites', 'linkFirstRowMs'],
  ['search, after the last key', 'searchMs'],
  ['scrolling: frame, p95', 'frameP95Ms'],
  ['scrolling: frame, max', 'frameMaxMs'],
  ['rows scrolled', 'rowsScrolled'],
];

/** Prints the waiting times of a user with few and with many sites, and compares the first row with a static page. */
export async function compareInBrowser(
  small: Panel,
  large: Panel,
  print: (name: string, ...cells: string[]) => void,
): Promise<ResultRow[]> {
  await ensureScreensBuilt();
  const measured = await measureInBrowser(small, large, ROUNDS);
  const { small: few, large: many, static: floor } = measured;
  print('in Chromium, medians', 'few', 'many', 'ratio');
  for (const [label, field] of ROWS) {
    const ratio = (many[field] / few[field]).toFixed(2);
    print(label, few[field].toFixed(0), many[field].toFixed(0), ratio);
  }
  return [
    toRow('empty cache', many.firstRowMs, floor.firstRowMs),
    toRow('files in the cache', many.cachedFirstRowMs, floor.cachedFirstRowMs),
    toRow('after a click on Sites', many.linkFirstRowMs, floor.cachedFirstRowMs),
  ];
}

function toRow(situation: string, value: number, staticMs: number): ResultRow {
  return {
    name: `first row in Chromium, ${situation}`,
    value,
    unit: 'ms',
    floor: { name: 'static page', value: staticMs },
    ratio: value / staticMs,
    limit: `at most ${FIRST_ROW_MAX_MS} ms`,
    met: value <= FIRST_ROW_MAX_MS,
  };
}
