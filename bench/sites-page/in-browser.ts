import { ensureScreensBuilt } from '@steward/web/ready';
import { type BrowserTimes, measureInBrowser } from './browser.ts';

const ROUNDS = 5;

const ROWS: [label: string, field: keyof BrowserTimes][] = [
  ['first row, empty cache', 'firstRowMs'],
  ['search, after the last key', 'searchMs'],
  ['scrolling: frame, p95', 'frameP95Ms'],
  ['scrolling: frame, max', 'frameMaxMs'],
  ['rows scrolled', 'rowsScrolled'],
];

type Panel = { url: string; cookie: string };

/** Prints the waiting times of a user with few and with many sites, and their ratio. */
export async function compareInBrowser(
  small: Panel,
  large: Panel,
  print: (name: string, ...cells: string[]) => void,
): Promise<void> {
  await ensureScreensBuilt();
  const [few, many] = [
    await measureInBrowser(small, ROUNDS),
    await measureInBrowser(large, ROUNDS),
  ];
  print('in Chromium, medians', 'few', 'many', 'ratio');
  for (const [label, field] of ROWS) {
    const ratio = (many[field] / few[field]).toFixed(2);
    print(label, few[field].toFixed(0), many[field].toFixed(0), ratio);
  }
}
