import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { readPageWidth } from '@steward/testkit/browser/dialogs.ts';
import { changeView } from '@steward/testkit/browser/use-browser.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
type Fleet = Awaited<ReturnType<typeof panel.fleet>>;
type SignedInUser = Awaited<ReturnType<typeof panel.as>>;

const FORMS = 'forms/forms.php';
const STEWARD = 'steward/steward.php';

const siteWithUpdates = () => ({
  plugins: {
    [SHOP]: { version: '1.0', newVersion: '2.0', active: true },
    [FORMS]: { version: '5.3', active: false },
    [STEWARD]: { version: '0.1.0', active: true },
  },
  themes: { linen: { version: '1.2', newVersion: '1.3', active: true } },
  core: { version: '6.8', newVersion: '6.8.1' },
});

let fleet: Fleet;
let owner: SignedInUser;
let license: { id: number; license_key: string };
beforeAll(async () => {
  license = await panel.license(50);
  fleet = await panel.fleet(license.license_key);
  owner = await panel.as(panel.owner);
});

/** Connects a site. `path`: the path of its page. */
async function newSite(name: string, on = fleet, state = siteWithUpdates()) {
  const site = await on.add(name, state);
  const { body } = await owner.get(`/panel/sites?search=${name}`);
  return { site, id: body.sites[0].id as number, path: `/sites/${body.sites[0].id}` };
}
const row = (page: Page, plugin: string) =>
  page.getByRole('region', { name: 'Plugins' }).getByRole('rowgroup').filter({ hasText: plugin });
const history = (page: Page) => page.getByRole('list', { name: 'History' });

describe('the page of a site', () => {
  it('shows the facts of the site, on a phone too, and saves its tags', async () => {
    const { site, path } = await newSite('known');
    const visitor = await panel.open(panel.owner, path);
    const { page } = visitor;
    await page.getByRole('heading', { name: '/known' }).waitFor();
    await page.getByText('3 updates').waitFor();
    const link = page.getByRole('link', { name: 'Open website' });
    expect(await link.getAttribute('href')).toBe(site.siteUrl);
    expect(await link.getAttribute('rel')).toBe('noreferrer');
    expect(await link.getAttribute('target')).toBe('_blank');
    await page.getByText('no (local or staging address)').waitFor();
    await row(page, SHOP).getByText('2.0').waitFor();
    await page.getByRole('region', { name: 'Themes' }).getByText('1.3').waitFor();
    await page.getByRole('region', { name: 'Core' }).getByText('6.8.1').waitFor();
    await history(page)
      .getByText(/^The site activated license/)
      .waitFor();
    await expectAccessible(page, 'a site');
    await changeView(page, { width: 375, height: 700, scheme: 'dark' });
    await expectAccessible(page, 'a site, dark and narrow');
    expect(await readPageWidth(page)).toBeLessThanOrEqual(375);
    await changeView(page, { width: 1440, height: 900, scheme: 'light' });

    await page.getByRole('combobox', { name: 'Tags' }).fill('North');
    await page.keyboard.press('Enter');
    await history(page).getByText('added tags North').waitFor();
    await page.reload();
    await page.getByText('North', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Tags' }).press('Backspace');
    await history(page).getByText('removed tags North').waitFor();

    await page.getByRole('link', { name: /^Agency/ }).click();
    await page.waitForURL(`**/licenses/${license.id}`);
    expectNoFaults(visitor);
  });
});

describe('the banner of a site that the panel may not call', () => {
  it('is readable in light and dark mode', async () => {
    const other = await panel.license(5, 'Solo');
    const { path } = await newSite('kept', await panel.fleet(other.license_key));
    await panel.run(['license', 'suspend', String(other.id)]);
    const visitor = await panel.open(panel.owner, path);
    const { page } = visitor;
    const banner = page.getByRole('main').getByRole('alert');
    await banner.getByText('The license of this site is suspended.').waitFor();
    for (const scheme of ['light', 'dark'] as const) {
      await changeView(page, { scheme });
      await expectAccessible(page, `a site with a suspended license, ${scheme}`);
    }
    expectNoFaults(visitor);
  });
});

describe('plugin actions', () => {
  it('update, activate, deactivate and delete, and show the new state each time', async () => {
    const { site, path } = await newSite('acted');
    const visitor = await panel.open(panel.owner, path);
    const { page } = visitor;
    await page.getByRole('button', { name: `Update ${SHOP}` }).click();
    await page.getByText(`${SHOP} updated.`).waitFor();
    await row(page, SHOP).getByText('1.0').waitFor({ state: 'detached' });
    expect(site.state.plugins[SHOP]?.version).toBe('2.0');

    await page.getByRole('button', { name: `Deactivate ${SHOP}` }).click();
    await row(page, SHOP).getByText('Inactive').waitFor();
    expect(site.state.plugins[SHOP]?.active).toBe(false);
    await page.getByRole('button', { name: `Activate ${FORMS}` }).click();
    await page.getByRole('button', { name: `Deactivate ${FORMS}` }).waitFor();
    expect(site.state.plugins[FORMS]?.active).toBe(true);

    await page.getByRole('button', { name: `More actions for ${SHOP}` }).click();
    await page.getByRole('menuitem', { name: 'Delete plugin' }).waitFor();
    await expectAccessible(page, 'the menu of a plugin');
    await page.getByRole('menuitem', { name: 'Delete plugin' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Most plugins also delete their settings').waitFor();
    const deleteButton = dialog.getByRole('button', { name: 'Delete plugin' });
    expect(await deleteButton.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(FORMS);
    expect(await deleteButton.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(SHOP);
    await expectAccessible(page, 'deleting a plugin');
    await deleteButton.click();
    await dialog.waitFor({ state: 'detached' });
    await row(page, SHOP).waitFor({ state: 'detached' });
    expect(site.state.plugins[SHOP]).toBeUndefined();

    for (const line of [`deleted ${SHOP}`, `activated ${FORMS}`, `deactivated ${SHOP}`]) {
      await history(page).getByText(line).waitFor();
    }
    await history(page).getByRole('link', { name: /^Run/ }).first().click();
    await page.getByRole('heading', { name: `Delete ${SHOP}` }).waitFor();
    expectNoFaults(visitor);
  });

  it('explain a failure in the row of the plugin', async () => {
    const state = siteWithUpdates();
    Object.assign(state.plugins[FORMS] ?? {}, { activationFails: 'It needs PHP 9.' });
    Object.assign(state.plugins[STEWARD] ?? {}, { requires: [SHOP] });
    const { path } = await newSite('refused', fleet, state);
    const visitor = await panel.open(panel.owner, path);
    const { page } = visitor;
    await page.getByRole('button', { name: `Activate ${FORMS}` }).click();
    const note = row(page, FORMS).getByRole('alert');
    await note.getByText('It needs PHP 9.').waitFor();
    await note.getByText('The plugin should be unchanged.').waitFor();
    await expectAccessible(page, 'a refused action');
    await note.getByRole('button', { name: 'Dismiss' }).click();
    await note.waitFor({ state: 'detached' });
    await history(page).getByText(`tried to activate ${FORMS}`).waitFor();

    await page.getByRole('button', { name: `More actions for ${SHOP}` }).click();
    await page.getByRole('menuitem', { name: 'Delete plugin' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(SHOP);
    await dialog.getByRole('button', { name: 'Delete plugin' }).click();
    await dialog.getByText(`Other active plugins require this plugin: ${STEWARD}.`).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await row(page, SHOP).getByRole('link', { name: 'View run' }).click();
    await page.getByRole('heading', { name: `Delete ${SHOP}` }).waitFor();
    expectNoFaults(visitor);
  });
});

describe('actions on the whole site', () => {
  it('update all items in a run', async () => {
    const { site, path } = await newSite('whole');
    const { page } = await panel.open(panel.owner, path);
    await page.getByRole('button', { name: 'Update all (3)' }).click();
    const dialog = page.getByRole('dialog');
    // Core is left out at first, because it cannot be rolled back.
    await expect.poll(() => dialog.getByLabel('Core', { exact: true }).isChecked()).toBe(false);
    await dialog.getByLabel('Core', { exact: true }).check();
    await dialog.getByText('A core update cannot be rolled back.').waitFor();
    await dialog.getByRole('button', { name: 'Update 1 site' }).click();
    await page.getByRole('heading', { name: /^Update .*\/whole$/ }).waitFor();
    await page.getByText('Updated 1 plugin, 1 theme, core').waitFor();
    expect(site.state.core.version).toBe('6.8.1');
    await page.getByRole('button', { expanded: false }).filter({ hasText: '/whole' }).click();
    await page.getByRole('link', { name: 'Site details' }).click();
    await page.getByText('up to date').waitFor();
    await history(page).getByText('6.8 → 6.8.1').waitFor();
    expect(await page.getByRole('button', { name: /Update all/ }).count()).toBe(0);
  });

  it('sync the site, and explain why a site is not reachable', async () => {
    const { site, path } = await newSite('synced');
    const visitor = await panel.open(panel.owner, path);
    const { page } = visitor;
    await row(page, FORMS).waitFor();
    delete site.state.plugins[FORMS];
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText(/^Synced .*\/synced\.$/).waitFor();
    await row(page, FORMS).waitFor({ state: 'detached' });

    site.faults.response = 'html';
    await page.getByRole('button', { name: 'Sync now' }).click();
    const banner = page.getByRole('main').getByRole('alert');
    await banner.getByText('something other than JSON').waitFor();
    await banner.getByText('It may still be online for visitors.').waitFor();
    await page.getByText('not reachable').waitFor();
    await page.getByRole('link', { name: 'Open website' }).waitFor();
    await expectAccessible(page, 'a site that is not reachable');
    delete site.faults.response;
    await page.getByRole('button', { name: 'Sync now' }).click();
    await banner.waitFor({ state: 'detached' });
    expectNoFaults(visitor);
  });

  it('explain that the last update failed, and retry it', async () => {
    const state = siteWithUpdates();
    Object.assign(state.plugins[SHOP] ?? {}, { updateFails: 'The package is broken.' });
    const { site, id, path } = await newSite('failing', fleet, state);
    await owner.post('/remote/update', { site_ids: [id] });
    const { page } = await panel.open(panel.owner, path);
    const banner = page.getByRole('main').getByRole('alert');
    await banner.getByText('The package is broken.').waitFor();
    await banner.getByText('The old version is still running, unless').waitFor();
    await banner.getByRole('link', { name: 'View run' }).click();
    await page.getByRole('heading', { name: /^Update of .*\/failing$/ }).waitFor();
    await page.goBack();
    delete site.state.plugins[SHOP]?.updateFails;
    await banner.getByRole('button', { name: 'Retry updates' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Update 1 site' }).click();
    await page.getByText('Updated 1 plugin').waitFor();
  });
});

describe('permissions', () => {
  it('let a manager act on a granted site', async () => {
    const { id, path } = await newSite('granted');
    const manager = await panel.newUser('manager', 'Mel');
    await panel.run(['access', 'grant', '--user', manager.email, '--site', String(id)]);
    const { page } = await panel.open(manager, path);
    await page.getByRole('button', { name: `Deactivate ${SHOP}` }).click();
    await row(page, SHOP).getByText('Inactive').waitFor();
    await history(page).getByRole('link', { name: /^Run/ }).click();
    await page.getByRole('heading', { name: `Deactivate ${SHOP}` }).waitFor();
  });
});
