import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { createInBatches, type FleetSite } from '@steward/testkit/sites/site-fleet.ts';
import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
const SHOP = 'shop/shop.php';
const FORMS = 'forms/forms.php';
const SITES = 38;
const BROKEN = 'Version 8.1 breaks the site: HTTP 500.';
let sites: FleetSite[];

beforeAll(async () => {
  const { license_key } = await panel.license(SITES, 'Agency');
  const fleet = await panel.fleet(license_key);
  sites = await createInBatches(SITES, (index) =>
    fleet.add(`client-${index + 1}`, {
      plugins: {
        [SHOP]: { version: '8.0', newVersion: '8.1', active: true },
        [FORMS]: { version: '1.0', newVersion: '1.5', active: true },
      },
      themes: {},
      core: { version: '6.0', newVersion: '6.1' },
    }),
  );
  const shop = sites[3]?.state.plugins[SHOP];
  if (shop) shop.updateRollsBack = BROKEN;
});

describe('a security fix for one plugin', () => {
  it('is installed from the overview in at most five clicks, and the run shows what was rolled back and why', async () => {
    const visitor = await panel.open(panel.owner, '/');
    const { page } = visitor;
    let clicks = 0;
    const click = async (target: Locator) => {
      clicks++;
      await target.click();
    };
    await click(page.getByRole('main').getByRole('link', { name: SHOP, exact: true }));
    await page.getByRole('heading', { name: SHOP }).waitFor();
    await expectAccessible(page, 'the page of a plugin');
    await click(page.getByRole('button', { name: `Update on ${SITES} sites` }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`${SITES} sites will be updated`).waitFor();
    await click(dialog.getByRole('button', { name: `Update ${SITES} sites` }));
    await page
      .getByText(`Updated on 37 of 38 sites, 1 rolled back. Reason: ${BROKEN}`)
      .waitFor({ timeout: 60_000 });
    // The failed site is the first line, and the line gives the reason too.
    const line = page.getByRole('list', { name: 'Sites of this run' }).getByRole('button').first();
    await line.getByText(BROKEN).waitFor();
    await click(line.filter({ hasText: '/client-4' }));
    await page.getByText('Rolled back', { exact: true }).waitFor();
    await page.getByText('still 8.0').waitFor();
    expect(clicks).toBeLessThanOrEqual(5);
    for (const [index, { state }] of sites.entries()) {
      expect(state.plugins[SHOP]?.version).toBe(index === 3 ? '8.0' : '8.1');
      // Nothing else was updated.
      expect([state.plugins[FORMS]?.version, state.core.version]).toEqual(['1.0', '6.0']);
    }
    expectNoFaults(visitor);
  });

  it('is visible on the software page, in the filtered sites and in the history of a site', async () => {
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
    await page.goto(`${panel.url}/sites?search=client-12`);
    await page.getByRole('link', { name: /client-12$/ }).click();
    await page.getByRole('list', { name: 'History' }).getByText('8.0 → 8.1').waitFor();
    expectNoFaults(visitor);
  });
});
