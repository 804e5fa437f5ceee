/** Stores what a browser with an empty cache downloads for each page. A test checks the same limits. */
import { basename } from 'node:path';
import { ensureScreensBuilt } from '@steward/web/ready';
import { budgetOf, readPageSizes } from '../../packages/web/scripts/page-sizes.ts';
import { saveResults } from '../results.ts';

await ensureScreensBuilt();
const sizes = [...(await readPageSizes())].sort(([, a], [, b]) => b - a);
saveResults(
  'page-sizes',
  sizes.map(([page, bytes]) => ({
    name: `first load of ${basename(page, '.tsx')}, compressed`,
    value: bytes / 1000,
    unit: 'KB',
    limit: `at most ${budgetOf(page) / 1000} KB`,
    met: bytes <= budgetOf(page),
  })),
);
