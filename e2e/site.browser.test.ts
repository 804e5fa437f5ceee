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
    [FORMS]: { version: '5.3', active: false, activationFails: 'It needs PHP 9.' },
    [STEWARD]: { version: '0.1.0', active: true, requires: [SHOP] },
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
async function newSite(name: string) {
  const site = await fleet.add(name, siteWithUpdates());
  const { body } = await owner.get(`/panel/sites?search=${name}`);
  return { site, id: body.sites[0].id as number, path: `/sites/${body.sites[0].id}` };
}
const row = (page: Page, plugin: string) =>
  page.getByRole('region', { name: 'Plugins' }).getByRole('rowgroup').filter({ hasText: plugin });
const history = (page: Page) => page.getByRole('list', { name: 'History' });

describe('the page of a site', () => {
  it('saves tags, keeps those of other users, syncs, and explains a failed sync', async () => {
    const { site, id, path } = await newSite('known');
    const visitor = await panel.open(panel.owner, path);
    const { page } = visitor;
    await page.getByRole('heading', { name: '/known' }).waitFor();
    await page.getByText('3 updates').waitFor();
    const link = page.getByRole('link', { name: 'Open website' });
    expect(await link.getAttribute('href')).toBe(site.siteUrl);
    expect(await link.getAttribute('rel')).toBe('noreferrer');
    await history(page)
      .getByText(/^The site activated license/)
      .waitFor();

    await owner.post('/panel/sites/tags', { site_ids: [id], add: ['theirs'] });
    await page.getByRole('combobox', { name: 'Tags' }).fill('North');
    await page.keyboard.press('Enter');
    await history(page).getByText('added the tag “North”').waitFor();
    await page.getByText('theirs', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('North', { exact: true }).waitFor();
    await page.getByText('theirs', { exact: true }).waitFor();

    await row(page, FORMS).waitFor();
    delete (site.state.plugins as Record<string, unknown>)[FORMS];
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText(/^Synced .*\/known\.$/).waitFor();
    await row(page, FORMS).waitFor({ state: 'detached' });
    site.faults.response = 'html';
    await page.getByRole('button', { name: 'Sync now' }).click();
    const banner = page.getByRole('main').getByRole('alert');
    await banner.getByText('something other than JSON').waitFor();
    await page.getByText('not reachable').waitFor();
    delete site.faults.response;
    await page.getByRole('button', { name: 'Sync now' }).click();
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Agency/ }).click();
    await page.waitForURL(`**/licenses/${license.id}`);
    expectNoFaults(visitor);
  });
});

describe('plugin actions', () => {
  it('update, activate, deactivate and delete, and explain failures in the row', async () => {
    const { site, path } = await newSite('acted');
    const visitor = await panel.open(panel.owner, path);
    const { page } = visitor;
    await page.getByRole('button', { name: `Update ${SHOP}` }).click();
    await page.getByText(`${SHOP} updated.`).waitFor();
    await row(page, SHOP).getByText('1.0').waitFor({ state: 'detached' });
    expect(site.state.plugins[SHOP]?.version).toBe('2.0');

    await page.getByRole('button', { name: `Activate ${FORMS}` }).click();
    const note = row(page, FORMS).getByRole('alert');
    await note.getByText('It needs PHP 9.').waitFor();
    await note.getByText('The plugin should be unchanged.').waitFor();
    await note.getByRole('button', { name: 'Dismiss' }).click();
    await note.waitFor({ state: 'detached' });
    delete site.state.plugins[FORMS]?.activationFails;
    await page.getByRole('button', { name: `Activate ${FORMS}` }).click();
    await page.getByRole('button', { name: `Deactivate ${FORMS}` }).waitFor();
    expect(site.state.plugins[FORMS]?.active).toBe(true);

    const openDeletion = async () => {
      await page.getByRole('button', { name: `More actions for ${SHOP}` }).click();
      await page.getByRole('menuitem', { name: 'Delete plugin' }).click();
    };
    await openDeletion();
    const dialog = page.getByRole('dialog');
    const deleteButton = dialog.getByRole('button', { name: 'Delete plugin' });
    expect(await deleteButton.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(FORMS);
    expect(await deleteButton.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(SHOP);
    await deleteButton.click();
    await dialog.getByText(`Other active plugins require this plugin: ${STEWARD}.`).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    delete site.state.plugins[STEWARD]?.requires;
    await page.getByRole('button', { name: `Deactivate ${SHOP}` }).click();
    await row(page, SHOP).getByText('Inactive').waitFor();
    expect(site.state.plugins[SHOP]?.active).toBe(false);
    await openDeletion();
    await dialog.getByRole('textbox').fill(SHOP);
    await deleteButton.click();
    await dialog.waitFor({ state: 'detached' });
    await row(page, SHOP).waitFor({ state: 'detached' });
    expect(site.state.plugins[SHOP]).toBeUndefined();

    for (const line of [`deleted ${SHOP}`, `activated ${FORMS}`, `deactivated ${SHOP}`]) {
      await history(page).getByText(line).first().waitFor();
    }
    await history(page).getByRole('link', { name: /^Run/ }).first().click();
    await page.getByRole('heading', { name: `Delete ${SHOP}` }).waitFor();
    expectNoFaults(visitor);
  });
});
