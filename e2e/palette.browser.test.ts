import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { readPageWidth } from '@steward/testkit/browser/dialogs.ts';
import { changeView } from '@steward/testkit/browser/use-browser.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();

const field = (page: Page) =>
  page.getByLabel('Find a site, client, software, tag, license, user, run, setting or page');
const typeInPalette = async (page: Page, text: string) => {
  // Wait until the previous palette is closed: it clears its input only then.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await field(page).fill(text);
};
const line = (page: Page, text: string | RegExp) =>
  page.getByRole('dialog').getByRole('button', { name: text, exact: true });

beforeAll(async () => {
  const { license_key } = await panel.license();
  const fleet = await panel.fleet(license_key);
  await fleet.add('shop');
  await fleet.add('blog');
});

describe('Enter in the palette', () => {
  it('opens the first result, waits for the running search, and opens another one after the arrow keys', async () => {
    const visitor = await panel.open(panel.owner);
    const { page } = visitor;
    await typeInPalette(page, 'account');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();

    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await field(page).pressSequentially('/blog');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${panel.url}/sites/2`);

    await typeInPalette(page, '127.0.0.1');
    await line(page, /\/shop/).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${panel.url}/sites/1`);

    for (const [text, run] of [
      ['#12', 12],
      ['run 13', 13],
    ] as const) {
      await typeInPalette(page, text);
      await line(page, `Run ${run}`).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${panel.url}/runs/${run}`);
    }
    expectNoFaults(visitor);
  });
});

describe('palette', () => {
  it('starts the actions of an owner', async () => {
    const visitor = await panel.signIn(panel.owner);
    const { page } = visitor;
    const choose = async (text: string, label: string) => {
      await typeInPalette(page, text);
      await line(page, label).click();
    };
    await choose('pending', 'Show sites with pending updates');
    await page.waitForURL(`${panel.url}/sites?pending=updatable`);
    await page.getByText('2 sites match').waitFor();
    await choose('license', 'Create a license');
    await page.waitForURL(`${panel.url}/licenses?new=1`);
    await page.goto(`${panel.url}/account`);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await choose('invite', 'Invite a user');
    await page.getByRole('dialog', { name: 'Invite user' }).waitFor();
    await page.goto(`${panel.url}/account`);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await choose('dark', 'Switch to dark mode');
    await page.waitForFunction('document.documentElement.dataset.mantineColorScheme === "dark"');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await line(page, 'Switch to light mode').waitFor();
    await expectAccessible(page, 'palette, dark');
    await changeView(page, { width: 375 });
    expect(await readPageWidth(page)).toBeLessThanOrEqual(375);
    await changeView(page, { width: 1440 });
    await page.keyboard.press('Escape');
    await choose('sign out', 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expectNoFaults(visitor);
  });
});
