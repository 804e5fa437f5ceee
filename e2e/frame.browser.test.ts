import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';

/** The layout around every page. */

const panel = usePanelInBrowser();

describe('page frame', () => {
  it('has a link that skips the navigation for keyboard users', async () => {
    const visitor = await panel.open(panel.owner, '/account');
    const { page } = visitor;
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to content' });
    expect(await skip.and(page.locator(':focus')).count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.waitForFunction("document.activeElement?.id === 'page'");
    await page.keyboard.press('Tab');
    const first = page.getByRole('button', { name: 'Sign out', exact: true });
    expect(await first.and(page.locator(':focus')).count()).toBe(1);
    expectNoFaults(visitor);
  });

  it('has a menu on a phone that opens and closes', async () => {
    const visitor = await panel.open(panel.owner, '/account', { width: 375, height: 700 });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Open menu' }).click();
    const menu = page.getByRole('dialog');
    await menu.getByRole('link', { name: 'Licenses' }).waitFor();
    const settings = menu.getByRole('group', { name: 'Settings' }).getByRole('link');
    expect(await settings.allTextContents()).toEqual([
      'Rules',
      'Schedules',
      'Notifications',
      'Services',
    ]);
    await expectAccessible(page, 'the menu');
    await menu.getByRole('button', { name: 'Close menu' }).click();
    await menu.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expectNoFaults(visitor);
  });
});

/** The left edges of the text and of its element. */
const leftEdges = async (of: Locator): Promise<number[]> => {
  await of.waitFor();
  return of.evaluate((element) => {
    const text = element.ownerDocument.createRange();
    text.selectNodeContents(element);
    return [text.getBoundingClientRect().left, element.getBoundingClientRect().left];
  });
};

describe('tables', () => {
  it.each(['/licenses', '/users', '/services'])(
    'align with the page heading at %s',
    async (path) => {
      await panel.license();
      const { page } = await panel.open(panel.owner, path);
      const [heading] = await leftEdges(page.getByRole('heading', { level: 1 }));
      const table = page.getByRole('table');
      expect(await leftEdges(table.getByRole('columnheader').first())).toEqual([heading, heading]);
    },
  );

  it('do not truncate the status on a phone', async () => {
    const { id } = await panel.license();
    await panel.run(['license', 'suspend', String(id)]);
    const { page } = await panel.open(panel.owner, '/licenses', { width: 375, height: 700 });
    const word = page.getByRole('table').getByText('suspended', { exact: true });
    await word.waitFor();
    const widths = await word.evaluate((element) => [element.scrollWidth, element.clientWidth]);
    expect(widths[0]).toBeGreaterThan(0);
    expect(widths[0]).toBe(widths[1]);
  });
});
