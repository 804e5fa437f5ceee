import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { addManySites } from '@steward/testkit/panel/licensed-sites.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

/** More sites than the panel counts, and far more than fit on the screen. */
const SITES = 1040;
const panel = usePanelInBrowser();

beforeAll(async () => {
  const { id } = await panel.license(SITES);
  const hosts = Array.from({ length: SITES }, (_, index) => nameOf(index));
  await addManySites(panel, id, hosts);
});

const nameOf = (index: number) => `n${String(index).padStart(4, '0')}.example.com`;
const row = (page: Page, index: number) => page.getByRole('row', { name: nameOf(index) });
const search = (page: Page) => page.getByLabel('Search sites');
const readFocus = (page: Page) =>
  page.evaluate(
    '(({ activeElement: at }) => at.dataset.row ?? at.getAttribute("aria-label") ?? at.innerText)(document)',
  );
const bar = (page: Page) => page.getByRole('region', { name: 'Selected sites' });
const tabStops = (page: Page) => page.locator('tr[data-row][tabindex="0"]');

async function openSites(view = {}) {
  const visitor = await panel.open(panel.owner, '/sites', view);
  await row(visitor.page, 0).waitFor();
  return visitor;
}
/** Focuses the first row and moves one row down. */
async function focusSecondRow(page: Page) {
  await row(page, 0).focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => readFocus(page)).toBe('1');
}
async function edgesOf(page: Page, what: string): Promise<{ top: number; bottom: number }> {
  const box = await page.locator(what).boundingBox();
  return { top: box?.y ?? Number.NaN, bottom: (box?.y ?? 0) + (box?.height ?? 0) };
}

/** Presses an arrow key until the row has the focus, one row at a time. */
async function walk(page: Page, key: 'ArrowDown' | 'ArrowUp', from: number, to: number) {
  const step = Math.sign(to - from);
  for (let index = from; index !== to; index += step) {
    await page.keyboard.press(key);
    await expect.poll(() => readFocus(page)).toBe(String(index + step));
  }
}

describe('the focus', () => {
  it('stays in the search field and on headers while rows change, and reaches a row by Tab', async () => {
    const visitor = await openSites();
    const { page } = visitor;
    await focusSecondRow(page);
    await search(page).click();
    await page.evaluate('window.scrollTo(0, 3000)');
    await row(page, 1).waitFor({ state: 'detached' });
    await page.evaluate('window.scrollTo(0, 0)');
    await row(page, 1).waitFor();
    expect(await readFocus(page)).toBe('Search sites');

    await focusSecondRow(page);
    for (const _ of '1234') await page.keyboard.press('PageDown');
    await expect.poll(() => readFocus(page)).toBe('61');
    await page.keyboard.press('/');
    for (const letter of '103') {
      const response = page.waitForResponse((each) => each.url().includes('search='));
      await page.keyboard.type(letter);
      await response;
    }
    await page.getByText('11 sites match').waitFor();
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('12');
    await row(page, 1039).waitFor();
    expect(await readFocus(page)).toBe('Search sites');
    expect(await search(page).inputValue()).toBe('103');
    await expect.poll(() => tabStops(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row(page, 10).waitFor();
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('-1');
    await page.evaluate('window.scrollTo(0, 3000)');
    await row(page, 0).waitFor({ state: 'detached' });
    expect(await tabStops(page).count()).toBe(1);

    await page.evaluate('window.scrollTo(0, 0)');
    await row(page, 1).waitFor();
    await focusSecondRow(page);
    await page.getByRole('button', { name: 'Site', exact: true }).click();
    await row(page, SITES - 2).waitFor();
    expect(await readFocus(page)).toBe('Site');
    expectNoFaults(visitor);
  });
});

describe('keys', () => {
  it.each([
    { width: 1440, height: 700 },
    { width: 375, height: 700 },
  ])('move to rows that nothing covers, at $width px', async (view) => {
    const { page } = await openSites(view);
    const above = async () =>
      (await edgesOf(page, 'section[aria-label="Selected sites"]')).top -
      (await edgesOf(page, 'tr:focus')).bottom;
    const below = async () =>
      (await edgesOf(page, 'tr:focus')).top - (await edgesOf(page, 'thead')).bottom;
    await focusSecondRow(page);
    await page.keyboard.press('Space');
    await bar(page).waitFor();
    await walk(page, 'ArrowDown', 1, 22);
    await expect.poll(above).toBeGreaterThanOrEqual(0);
    await walk(page, 'ArrowUp', 22, 4);
    await expect.poll(below).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('End');
    await expect.poll(() => readFocus(page)).toBe('99');
    await expect.poll(above).toBeGreaterThanOrEqual(0);
  });

  it('focus the search field with / on Shift+7, but not behind a dialog', async () => {
    const { page } = await openSites();
    const slash = () =>
      page.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
        { key: '/', code: 'Digit7', shiftKey: true, bubbles: true, cancelable: true }))`);
    await focusSecondRow(page);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).focus();
    await slash();
    expect(await readFocus(page)).toBe('Cancel');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await slash();
    expect(await readFocus(page)).toBe('Search sites');
  });
});

describe('the selection', () => {
  it('extends from the loaded sites to all that match, beyond the counting limit', async () => {
    const visitor = await openSites();
    const { page } = visitor;
    await page.getByText('1,000 sites or more').waitFor();
    await page.getByLabel('Select the 100 loaded sites').click();
    await page.getByRole('button', { name: 'Select all that match' }).click();
    await page.getByText('1,040 sites selected').waitFor();
    const all = page.getByRole('button', { name: 'Select all that match' });
    await all.waitFor({ state: 'detached' });
    // These sites have never reported, so there is nothing to update.
    await page
      .getByRole('button', { name: 'Update sites' })
      .and(page.locator('[aria-disabled=true]'))
      .waitFor();
    expectNoFaults(visitor);
  });
});
