import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { expectCopied } from '@steward/testkit/browser/clipboard.ts';
import {
  click,
  clickInDialog,
  getDialog,
  readPageWidth,
  waitForDialogToClose,
} from '@steward/testkit/browser/dialogs.ts';
import { activateSite } from '@steward/testkit/browser/license-sites.ts';
import { changeView } from '@steward/testkit/browser/use-browser.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { registerSecret } from '@steward/testkit/logs.ts';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();

const VIEWS = [
  { scheme: 'light', width: 1440 },
  { scheme: 'dark', width: 1440 },
  { scheme: 'light', width: 375 },
  { scheme: 'dark', width: 375 },
] as const;
const readSearch = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const rowCount = (page: Page) => page.getByRole('row').count();

describe('creating a license', () => {
  it('starts from an empty list, shows the key once, copies it and detects the new site', async () => {
    const visitor = await panel.open(panel.owner, '/licenses');
    const { page, context } = visitor;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('heading', { name: 'No licenses yet' }).waitFor();
    await expectAccessible(page, 'no licenses');
    await click(page, 'Create license');
    expect(readSearch(page)).toEqual({ new: '1' });
    await expectAccessible(page, 'create license');

    await clickInDialog(page, 'Create license');
    await page.getByText('Enter the name of a plan.').waitFor();
    await page.getByText('Enter a whole number from 1 to 1,000,000.').waitFor();
    await getDialog(page).getByRole('combobox', { name: 'Plan' }).fill('Bakery');
    await page.getByText('No plan has this name yet.').waitFor();
    await getDialog(page).getByLabel('Site limit').fill('3');
    await getDialog(page).getByLabel('Never expires').uncheck();
    await getDialog(page).getByLabel('Valid through').fill('2199-05-31');
    await clickInDialog(page, 'Create license');

    await page.getByText('Later, Steward shows it only as').waitFor();
    const key = await getDialog(page).getByLabel('License key').inputValue();
    registerSecret(key);
    expect(key).toMatch(/^STWD-/);
    await expectCopied(page, key);
    const downloading = page.waitForEvent('download');
    await getDialog(page).getByRole('button', { name: 'Download plugin' }).click();
    expect(await (await downloading).failure()).toBeNull();
    await expectAccessible(page, 'the new key');

    await getDialog(page).getByRole('tab', { name: 'Other CMS' }).click();
    const command = await getDialog(page).getByLabel('Command to start the agent').inputValue();
    expect(command).toContain(`LICENSE_KEY=YOUR-CODE npx --no-install steward-agent`);
    expect(command).toContain('--site-url ');
    expect(command).toContain(`--panel http://localhost:${new URL(panel.url).port}`);

    await page.getByText('Waiting for the site').waitFor();
    await activateSite(panel.url, key, 'https://bread.example.com');
    await page.getByText('bread.example.com is connected').waitFor();
    expect(
      await page.getByRole('link', { name: 'bread.example.com' }).getAttribute('href'),
    ).toMatch(/^\/sites\/\d+$/);
    // Escape must not close the dialog: the key would be lost.
    await page.keyboard.press('Escape');
    await clickInDialog(page, 'Done');
    await waitForDialogToClose(page);
    expect(readSearch(page)).toEqual({});
    await page.getByRole('link', { name: `…${key.slice(-6)}` }).waitFor();
    await page.getByRole('cell', { name: 'Bakery' }).waitFor();
    await page.getByText('1 of 3').waitFor();
    expect(await page.content()).not.toContain(key);
    expectNoFaults(visitor);
  });
});

describe('list of licenses', () => {
  it('searches while typing and filters by status and plan, all in the URL', async () => {
    const license = await panel.license(4, 'Carpenter');
    const lastSix = license.license_key.slice(-6);
    const visitor = await panel.open(panel.owner, '/licenses');
    const { page } = visitor;
    await page.getByRole('table').waitFor();
    await page.getByLabel('Search licenses').fill(lastSix.toLowerCase());
    await page.getByText('1 license matches').waitFor();
    expect(readSearch(page)).toEqual({ search: lastSix.toLowerCase() });
    await page.getByRole('link', { name: `…${lastSix}` }).waitFor();

    await page.getByLabel('Search licenses').fill('no such thing');
    await page.getByRole('heading', { name: 'No license matches' }).waitFor();
    await click(page, 'Clear filters');
    await page.getByRole('table').waitFor();
    expect(await page.getByLabel('Search licenses').inputValue()).toBe('');

    await page.getByRole('combobox', { name: 'Plan' }).click();
    await page.getByRole('option', { name: 'Carpenter' }).click();
    await page.getByText('1 license matches').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'suspended' }).click();
    await page.getByRole('heading', { name: 'No license matches' }).waitFor();
    expect(readSearch(page)).toEqual({ plan: 'carpenter', status: 'suspended' });
    await page.goto(`${panel.url}/licenses?plan=carpenter&status=inactive`);
    await page.getByRole('link', { name: `…${lastSix}` }).click();
    await page.getByRole('heading', { name: `License …${lastSix}` }).waitFor();
    expectNoFaults(visitor);
  });

  it('loads more than the first fifty', async () => {
    await panel.run(['license', 'create', '--plan', 'Many', '--site-limit', '1', '--count', '60']);
    const { page } = await panel.open(panel.owner, '/licenses?plan=many');
    await page.getByText('60 licenses match').waitFor();
    expect(await rowCount(page)).toBe(51);
    await click(page, 'Show more licenses');
    await page.getByRole('button', { name: 'Show more licenses' }).waitFor({ state: 'detached' });
    expect(await rowCount(page)).toBe(61);
  });

  it('is readable at every width in light and dark mode', async () => {
    const visitor = await panel.open(panel.owner, '/licenses');
    const { page } = visitor;
    await page.getByRole('table').waitFor();
    const expectReadable = async (name: string) => {
      for (const view of VIEWS) {
        await changeView(page, view);
        await expectAccessible(page, `${name}, ${view.scheme}, ${view.width} px wide`);
        expect(await readPageWidth(page)).toBeLessThanOrEqual(view.width);
      }
    };
    await expectReadable('licenses');
    await click(page, 'Create license');
    await getDialog(page).getByLabel('Remote management').waitFor();
    await expectReadable('create license');
    expectNoFaults(visitor);
  });
});
