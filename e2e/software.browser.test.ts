import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import type { FleetSite } from '@steward/testkit/sites/site-fleet.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
const SHOP = 'shop/shop.php';
const FORMS = 'forms/forms.php';
const SITES = 8;
const sites: FleetSite[] = [];

beforeAll(async () => {
  const { license_key } = await panel.license(20, 'Agency');
  const fleet = await panel.fleet(license_key);
  for (let number = 1; number <= SITES; number++) {
    sites.push(
      await fleet.add(`client-${number}`, {
        plugins: {
          [SHOP]: { version: '8.0', newVersion: '8.1', active: true },
          [FORMS]: { version: '1.0', newVersion: '1.5', active: true },
        },
        themes: {},
        core: { version: '6.0', newVersion: '6.1' },
      }),
    );
  }
  const shop = sites[3]?.state.plugins[SHOP];
  if (shop) shop.updateRollsBack = 'Version 8.1 breaks the site: HTTP 500.';
});

describe('a security fix for one plugin', () => {
  it('is rolled out from the overview in five clicks, and the run says which site failed and why', async () => {
    const visitor = await panel.open(panel.owner, '/');
    const { page } = visitor;
    await page.getByRole('main').getByRole('link', { name: SHOP, exact: true }).click();
    await page.getByRole('heading', { name: SHOP }).waitFor();
    await expectAccessible(page, 'the page of a plugin');
    await page.getByRole('button', { name: `Update on ${SITES} sites` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`${SITES} sites will be updated`).waitFor();
    await dialog.getByRole('button', { name: `Update ${SITES} sites` }).click();
    await page.getByText('Finished after').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { expanded: false }).filter({ hasText: '/client-4' }).click();
    await page.getByText('Rolled back').first().waitFor();
    await page.getByText('Version 8.1 breaks the site: HTTP 500.').first().waitFor();
    for (const [index, { state }] of sites.entries()) {
      expect(state.plugins[SHOP]?.version).toBe(index === 3 ? '8.0' : '8.1');
      // Nothing else was updated.
      expect([state.plugins[FORMS]?.version, state.core.version]).toEqual(['1.0', '6.0']);
    }
    expectNoFaults(visitor);
  });

  it('leaves a trace: the software page, the filtered sites and the history of a site', async () => {
    const visitor = await panel.open(panel.owner, `/software/item?type=plugin&slug=${SHOP}`);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Update on 1 site' }).waitFor();
    await page.getByRole('link', { name: '8.0' }).first().click();
    await page.getByText('1 site matches').waitFor();
    await page.getByRole('link', { name: /client-4$/ }).waitFor();
    // Select the site and deactivate the plugin there.
    await page.getByLabel(/^Select .*client-4$/).click();
    await page.getByRole('button', { name: `Manage ${SHOP}` }).click();
    await page.getByRole('menuitem', { name: 'Deactivate…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate on 1 site' }).click();
    await page.getByText('Finished after').waitFor();
    expect(sites[3]?.state.plugins[SHOP]?.active).toBe(false);
    await page.goto(`${panel.url}/sites?search=client-1`);
    await page.getByRole('link', { name: /client-1$/ }).click();
    await page.getByRole('list', { name: 'History' }).getByText('8.0 → 8.1').waitFor();
    expectNoFaults(visitor);
  });
});
