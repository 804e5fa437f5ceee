import type { InstallItem } from '@steward/contract';
import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { createPluginPackage } from '@steward/testkit/package-zip.ts';
import type { FleetSite } from '@steward/testkit/sites/site-fleet.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
const SHOP = 'shop/shop.php';
const sites: FleetSite[] = [];

const toResponse = (plugins: object[]) => ({
  success: true,
  results: { plugins, themes: [], core: null },
  errors: [],
});

/** Creates sites that can install and restore, except the last one, which has an old Steward plugin. */
beforeAll(async () => {
  const { license_key } = await panel.license(20, 'Agency');
  const fleet = await panel.fleet(license_key);
  for (const name of ['first', 'second', 'old']) {
    const site = await fleet.add(name);
    sites.push(site);
    site.routes.install = async ({ items }: { items: InstallItem[] }) => {
      for (const { package: source } of items) {
        expect((await fetch(source?.url ?? '')).status).toBe(200);
      }
      return toResponse(
        items.map(({ slug, version }) => ({ slug, new_version: version, success: true })),
      );
    };
    site.routes.restore = () =>
      toResponse([{ slug: SHOP, old_version: '1.0', new_version: '0.9', success: true }]);
  }
  const { pool } = panel;
  await pool.query(
    `UPDATE license_activations a SET capabilities =
       CASE WHEN s.url LIKE '%/old' THEN '{}'::text[] ELSE '{signed_calls,install,restore}' END
     FROM sites s WHERE s.id = a.site_id`,
  );
  await pool.query(
    `UPDATE sites SET inventory = jsonb_set(inventory, '{plugins,0,saved_versions}', '["0.9"]')`,
  );
});

describe('a package', () => {
  it('is uploaded and installed on the selected sites', async () => {
    const visitor = await panel.open(panel.owner, '/sites');
    const { page } = visitor;
    await page.getByLabel('Select the 3 loaded sites').click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Install…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('choose a file').waitFor();
    const buffer = await createPluginPackage('form', '1.5');
    const file = { name: 'form.zip', mimeType: 'application/zip', buffer };
    await dialog
      .locator('input[type=file]')
      .or(page.locator('input[type=file]'))
      .first()
      .setInputFiles(file);
    await dialog.getByText('The form').waitFor();
    await dialog.getByText('Steward plugin too old').waitFor();
    await expectAccessible(page, 'install dialog');
    await dialog.getByRole('button', { name: 'Install on 2 sites', exact: true }).click();
    await page.getByRole('heading', { name: /Install The form 1\.5 on 2 sites/ }).waitFor();
    await page.getByText('Finished after').waitFor({ timeout: 60_000 });
    expect(sites.map(({ calls }) => calls.includes('install'))).toEqual([true, true, false]);
    expectNoFaults(visitor);
  });
});

describe('a previous version', () => {
  it('is restored from the page of the plugin', async () => {
    const visitor = await panel.open(panel.owner, `/software/item?type=plugin&slug=${SHOP}`);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Restore previous version' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Changes in the database are not undone.').waitFor();
    await dialog.getByRole('button', { name: 'Restore on 2 sites', exact: true }).click();
    await page.getByRole('heading', { name: /Restore .* 0\.9 on 2 sites/ }).waitFor();
    await page.getByText('Finished after').waitFor({ timeout: 60_000 });
    expect(sites.map(({ calls }) => calls.includes('restore'))).toEqual([true, true, false]);
    expectNoFaults(visitor);
  });
});
