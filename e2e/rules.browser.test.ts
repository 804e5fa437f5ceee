import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { expectReadable, WIDE_AND_LIGHT } from '@steward/testkit/browser/expect-readable.ts';
import { changeView } from '@steward/testkit/browser/use-browser.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
const HOLD = 'Held: kept at 1.0 or older. Rule: the plugin Shop on sites with the tag retail.';

/** The state of a site whose CMS updates the plugin by itself. */
function siteWithShop() {
  const state = outdatedSite();
  state.plugins[SHOP] = { ...state.plugins[SHOP], name: 'Shop', version: '1.0', autoUpdate: true };
  return state;
}

let siteIds: number[];

beforeAll(async () => {
  const { license_key } = await panel.license();
  const fleet = await panel.fleet(license_key);
  for (const name of ['alpha', 'beta']) await fleet.add(name, siteWithShop());
  const owner = await panel.as(panel.owner);
  const { body } = await owner.get('/panel/sites?sort=name');
  siteIds = body.sites.map(({ id }: { id: number }) => id);
  await owner.call('PUT', `/panel/sites/${siteIds[0]}/tags`, { tags: ['retail'] });
});

describe('a rule', () => {
  it('holds a plugin back on the sites with a tag, is shown as the reason, and is deleted', async () => {
    const visitor = await panel.open(panel.owner, '/rules');
    const { page } = visitor;
    await page.getByText('No rules yet').waitFor();
    await page.getByRole('button', { name: 'New rule' }).click();
    const dialog = page.getByRole('dialog', { name: 'New rule' });
    const choose = async (field: string, option: string) => {
      await dialog.getByRole('combobox', { name: field, exact: true }).click();
      await page.getByRole('option', { name: option }).click();
    };
    await choose('Sites', 'Sites with a tag');
    await choose('Tag', 'retail');
    await choose('Items', 'One plugin or theme');
    await choose('Plugin or theme', 'Shop');
    await choose('Effect', 'Keep at a version: do not update beyond it');
    await dialog.getByRole('combobox', { name: 'Version' }).click();
    await page.getByRole('option', { name: /^1\.0/ }).click();
    await dialog.getByText('Applies to 1 site').waitFor();
    await expectAccessible(page, 'a new rule');
    await dialog.getByRole('button', { name: 'Create rule' }).click();
    const rule = 'Keep the plugin Shop on sites with the tag retail at version 1.0 or older.';
    await page.getByRole('button', { name: rule, exact: true }).waitFor();
    await expectReadable(page, 'rules');
    await changeView(page, WIDE_AND_LIGHT);

    await page.goto(`${panel.url}/sites`);
    await page.getByLabel('Select the 2 loaded sites').check();
    await page.getByRole('button', { name: 'Update 1 site', exact: true }).click();
    const preview = page.getByRole('dialog', { name: 'Update sites' });
    await preview.getByText(`${HOLD} View rule`).first().waitFor();
    await preview.getByRole('button', { name: 'Update 1 site' }).waitFor();

    await page.goto(`${panel.url}/sites/${siteIds[0]}`);
    await page.getByText(HOLD).filter({ visible: true }).first().waitFor();
    await page.getByText(/WordPress updates this automatically\. Rules/).waitFor();
    await page.getByRole('link', { name: 'View rule' }).first().click();
    await page.getByRole('dialog', { name: 'Edit rule' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: `Actions for the rule: ${rule}` }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete rule' }).click();
    await page.getByText('No rules yet').waitFor();
    await page.goto(`${panel.url}/sites/${siteIds[0]}`);
    await page.getByText('WordPress updates this automatically', { exact: true }).waitFor();
    expect(await page.getByText(HOLD).count()).toBe(0);
    expectNoFaults(visitor);
  });
});
