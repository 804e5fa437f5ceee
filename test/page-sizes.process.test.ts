import { expect, test } from 'vitest';
import { readPageSizes } from '../packages/web/scripts/page-sizes.ts';

/** What a user loads first: the sign-in page, then the overview. */
const FIRST_PAGES = ['account/sign-in-page.tsx', 'overview/overview-page.tsx'];
const FIRST_PAGE_MAX_KB = 200;
const PAGE_MAX_KB = 235;

test('an empty browser cache downloads at most 200 KB for the first pages, and not much more for the others', async () => {
  const sizes = await readPageSizes();
  const tooLarge = [...sizes].filter(([page, bytes]) => {
    const isFirst = FIRST_PAGES.some((name) => page.endsWith(name));
    return bytes > (isFirst ? FIRST_PAGE_MAX_KB : PAGE_MAX_KB) * 1000;
  });
  expect(sizes.size).toBeGreaterThan(20);
  expect(tooLarge).toEqual([]);
});
