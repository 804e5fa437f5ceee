import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { useBrowser } from '@steward/testkit/browser/use-browser.ts';
import { registerSecret } from '@steward/testkit/logs.ts';
import { usePanelProcess } from '@steward/testkit/panel/use-panel-process.ts';
import { holdCalls } from '@steward/testkit/sites/hold-calls.ts';
import { outdatedSite, SHOP, startFleet } from '@steward/testkit/sites/site-fleet.ts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';

const browser = useBrowser();
const panelProcess = usePanelProcess();
const PASSWORD = 'quiet harbour window';
let stopSites = async () => {};

afterAll(() => stopSites());

const MAX_TABS = 60;

/** Presses Tab until the target has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${target}.`);
}

async function pressOn(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

/** Returns the setup link that the panel printed. */
async function setupLink(): Promise<string> {
  const url = await panelProcess.panel.setupLink();
  registerSecret(url.split('#token=')[1] ?? url);
  return url;
}

describe('first use with the keyboard only', () => {
  it('goes from the setup link to an updated site, its history and the audit log', async () => {
    const { page } = await browser.newPage({ motion: 'no-preference' });
    await page.goto(await setupLink());
    await tabTo(page, page.getByLabel('Name'));
    await expectAccessible(page, 'set-up');
    await page.keyboard.type('Ada');
    await tabTo(page, page.getByLabel('E-mail'));
    await page.keyboard.type('ada@example.com');
    await tabTo(page, page.getByLabel('Password', { exact: true }));
    await page.keyboard.type(PASSWORD);
    registerSecret(PASSWORD);
    await page.keyboard.press('Enter');

    // The panel has created a license. The site connects with a code, as after "Download plugin".
    await page.getByText('Waiting for the site to connect').waitFor();
    await pressOn(page, page.getByRole('tab', { name: 'Plugin zip' }));
    await page.keyboard.press('ArrowRight');
    await pressOn(page, page.getByRole('button', { name: 'Create command' }));
    const command = await page.getByLabel('WP-CLI command').inputValue();
    const code = /plugin\/([^/]+)\//.exec(command)?.[1] ?? '';
    registerSecret(code);
    await expectAccessible(page, 'connecting the first site');
    const dialog = page.getByRole('dialog');
    const fleet = await startFleet(panelProcess.panel.url, code);
    stopSites = fleet.stop;
    const site = await fleet.add('shop', outdatedSite());
    await page.getByText('Your first site is connected').waitFor();
    await pressOn(page, page.getByRole('status').getByRole('link', { name: '/shop' }));

    const release = holdCalls(site);
    await pressOn(page, page.getByRole('button', { name: 'Update all (1)' }));
    await pressOn(page, dialog.getByRole('button', { name: 'Update 1 site' }));
    await page.getByRole('heading', { name: /^Update .*\/shop$/ }).waitFor();
    await page.getByRole('link', { name: 'Running 1' }).waitFor();
    await page.waitForFunction("document.title.startsWith('0 % ·')");
    // The run shows the same state after a reload.
    await page.reload();
    await page.getByRole('link', { name: 'Running 1' }).waitFor();
    release();
    await page.getByText('Finished after').waitFor();
    expect(site.state.plugins[SHOP]?.version).toBe('2.0');

    await pressOn(page, page.getByRole('button', { expanded: false }).filter({ hasText: '/shop' }));
    await pressOn(page, page.getByRole('link', { name: 'Site details' }));
    const history = page.getByRole('list', { name: 'History' });
    await history.getByText('1.0 → 2.0').waitFor();

    // The message appears only once.
    await page.goto(new URL('/', page.url()).href);
    await page.getByRole('link', { name: 'All runs' }).waitFor();
    expect(await page.getByText('Your first site is connected').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('Audit log');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    const records = page.getByRole('list', { name: 'Records' });
    for (const words of ['updated', 'started run', 'activated license', 'created license']) {
      await records.getByText(words).first().waitFor();
    }
  });
});
