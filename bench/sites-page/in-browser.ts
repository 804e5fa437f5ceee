import { ensureScreensBuilt } from '@steward/web/ready';
import type { ResultRow } from '../results.ts';
import { type BrowserTimes, measureInBrowser } from './browser.ts';
import type { Panel } from './signed-in-context.ts';

const ROUNDS = 5;
const FIRST_ROW_MAX_MS = 300;

const ROWS: [label: string, field: keyof BrowserTimes][] = [
  ['first row, empty cache', 'firstRowMs'],
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
  const { small: few, large: many, staticFirstRowMs } = measured;
  print('in Chromium, medians', 'few', 'many', 'ratio');
  for (const [label, field] of ROWS) {
    const ratio = (many[field] / few[field]).toFixed(2);
    print(label, few[field].toFixed(0), many[field].toFixed(0), ratio);
  }
  return [
    {
      name: 'first row in Chromium, empty cache',
      value: many.firstRowMs,
      unit: 'ms',
      floor: { name: 'static page', value: staticFirstRowMs },
      ratio: many.firstRowMs / staticFirstRowMs,
      limit: `at most ${FIRST_ROW_MAX_MS} ms`,
      met: many.firstRowMs <= FIRST_ROW_MAX_MS,
    },
  ];
}
