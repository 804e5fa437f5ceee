import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { type FleetSite, outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

const panel = usePanelInBrowser();
const PLUGIN_PAGE = `/software/item?type=plugin&slug=${SHOP}`;
const HOLD = 'Held: kept at 1.0 or older. Rule: the plugin Shop on all sites.';
const sites: FleetSite[] = [];

function siteWithShop() {
  const state = outdatedSite();
  state.plugins[SHOP] = { ...state.plugins[SHOP], name: 'Shop', version: '1.0' };
  return state;
}

beforeAll(async () => {
  const { license_key } = await panel.license();
  const fleet = await panel.fleet(license_key);
  for (const name of ['alpha', 'beta', 'gamma']) sites.push(await fleet.add(name, siteWithShop()));
});

const isDisabled = async (page: Page, name: string) => {
  const button = page.getByRole('button', { name, exact: true });
  await button.and(page.locator('[aria-disabled=true]')).waitFor();
};
/** A disabled button also describes its reason in a hidden text. */
const visible = (text: Locator) => text.filter({ visible: true }).first();
const versions = () => sites.map(({ state }) => state.plugins[SHOP]?.version);

it('counts on each button the sites that its run calls, and names the rule that holds all of them', async () => {
  const visitor = await panel.open(panel.owner, '/');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Update 3 sites' }).waitFor();

  // Hold the installed version, chosen from the known ones, on the page of the plugin.
  await page.goto(`${panel.url}${PLUGIN_PAGE}`);
  await page.getByRole('button', { name: 'Update on 3 sites' }).waitFor();
  await page.getByRole('button', { name: 'Hold this version: Shop 1.0' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('installed on 3 sites').waitFor();
  await dialog.getByRole('combobox', { name: /^Version/ }).click();
  await page.getByRole('option', { name: /^2\.0 ?offered on 3 sites/ }).waitFor();
  await page.getByRole('option', { name: /^1\.0/ }).click();
  await dialog.getByText('Applies to 3 sites').waitFor();
  await expectAccessible(page, 'hold of a version');
  await dialog.getByRole('button', { name: 'Hold version' }).click();
  await dialog.waitFor({ state: 'detached' });

  // Nothing can be updated: each button is disabled, and the rule is named and linked.
  await isDisabled(page, 'Update sites');
  await visible(page.getByText(HOLD)).waitFor();
  await page.goto(panel.url);
  await isDisabled(page, 'Update sites');
  await visible(page.getByText(HOLD)).waitFor();
  await expectAccessible(page, 'overview with held updates');
  await page.goto(`${panel.url}/sites`);
  await page.getByLabel('Select the 3 loaded sites').check();
  await isDisabled(page, 'Update sites');
  expect(await page.getByText(/\b0 sites/).count()).toBe(0);
  await page.getByRole('link', { name: 'View rule' }).click();

  // The rule allows the offered version: the button counts the sites again, and its run calls exactly these.
  const rule = page.getByRole('dialog', { name: 'Edit rule' });
  await rule.getByRole('combobox', { name: /^Version/ }).click();
  await page.getByRole('option', { name: /^2\.0/ }).click();
  await rule.getByRole('button', { name: 'Save rule' }).click();
  await rule.waitFor({ state: 'detached' });
  await page.goto(panel.url);
  await page.getByRole('button', { name: 'Update 3 sites' }).click();
  await dialog.getByRole('button', { name: 'Update 3 sites' }).click();
  await page.getByText('Finished after').waitFor({ timeout: 60_000 });
  await page.getByRole('link', { name: 'Succeeded 3' }).waitFor();
  expect(versions()).toEqual(['2.0', '2.0', '2.0']);
  expectNoFaults(visitor);
});

it('holds the restored version of a site after a restore, and from the menu of its plugin', async () => {
  const visitor = await panel.open(panel.owner, '/sites');
  const { page } = visitor;
  await page.getByRole('link', { name: '/alpha' }).click();
  const more = page.getByRole('button', { name: 'More actions for Shop' });
  await more.click();
  await page.getByRole('menuitem', { name: 'Restore previous version…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Restore on 1 site', exact: true }).click();
  await page.getByText('Finished after').waitFor({ timeout: 60_000 });
  expect(versions()).toEqual(['1.0', '2.0', '2.0']);
  await page.getByRole('button', { name: 'Hold this version: Shop 1.0' }).click();
  await dialog.getByText(/^Keep the plugin Shop on .*alpha at version 1\.0 or older\.$/).waitFor();
  await dialog.getByRole('button', { name: 'Hold version' }).click();
  await dialog.waitFor({ state: 'detached' });

  // The menu of the plugin changes the rule of this site.
  await page.goto(`${panel.url}/sites`);
  await page.getByRole('link', { name: '/alpha' }).click();
  await page.waitForURL('**/sites/*');
  const hold = page.getByText(/^Held: kept at 1\.0 or older\. Rule: the plugin Shop on .*alpha/);
  // After the restore, the panel reads the offered updates from the site again.
  await expect
    .poll(async () => {
      await page.reload();
      await more.waitFor();
      return hold.first().isVisible();
    })
    .toBe(true);
  await isDisabled(page, 'Update sites');
  await more.click();
  await page.getByRole('menuitem', { name: 'Hold this version…' }).click();
  await dialog.getByText(/^This replaces the rule: /).waitFor();
  await expectAccessible(page, 'hold of a version on a site');
  expectNoFaults(visitor);
});
