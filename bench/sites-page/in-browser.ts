import { makeScreensReady } from '@steward/web/ready';
import { look, type Seen } from './browser.ts';

const ROUNDS = 5;

const ROWS: [label: string, field: keyof Seen][] = [
  ['first row, cold cache', 'firstRowMs'],
  ['search, from the last key', 'searchMs'],
  ['scrolling: frame, p95', 'frameP95Ms'],
  ['scrolling: longest frame', 'frameMaxMs'],
  ['rows scrolled over', 'rowsScrolled'],
];

type Panel = { url: string; cookie: string };

/** Prints what a person waits for, with few sites and with many, and how the two compare. */
export async function compareInBrowser(
  small: Panel,
  large: Panel,
  print: (name: string, ...cells: string[]) => void,
): Promise<void> {
  await makeScreensReady();
  const [few, many] = [await look(small, ROUNDS), await look(large, ROUNDS)];
  print('in Chromium, medians', 'few', 'many', 'ratio');
  for (const [label, field] of ROWS) {
    const ratio = (many[field] / few[field]).toFixed(2);
    print(label, few[field].toFixed(0), many[field].toFixed(0), ratio);
  }
}
