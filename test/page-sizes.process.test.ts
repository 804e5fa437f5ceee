import { expect, test } from 'vitest';
import { budgetOf, readPageSizes } from '../packages/web/scripts/page-sizes.ts';

test('no page is larger than its budget', async () => {
  const sizes = await readPageSizes();
  expect(sizes.size).toBeGreaterThan(20);
  expect([...sizes].filter(([page, bytes]) => bytes > budgetOf(page))).toEqual([]);
});
