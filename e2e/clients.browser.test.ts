import { getDialog, waitForDialogToClose } from '@steward/testkit/browser/dialogs.ts';
import { expectReadable } from '@steward/testkit/browser/expect-readable.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { outdatedSite } from '@steward/testkit/sites/site-fleet.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
/** A red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

beforeAll(async () => {
  const fleet = await panel.fleet((await panel.license()).license_key);
  for (const name of ['alder', 'birch', 'cedar']) await fleet.add(name, outdatedSite());
});

/** A browser that refuses or cannot read the image shows none. */
const expectImageLoaded = (page: Page, selector: string) =>
  expect
    .poll(() =>
      page
        .locator(selector)
        .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    )
    .toBe(1);

describe('clients', () => {
  it('have a logo and sites, which the list of sites finds, with the names that users give them', async () => {
    const visitor = await panel.open(panel.owner, '/clients');
    const { page } = visitor;
    await page.getByText('No clients yet').waitFor();
    await expectReadable(page, 'no clients');
    await page.getByRole('button', { name: 'Create client' }).click();
    const dialog = getDialog(page);
    await dialog.getByLabel('Name', { exact: true }).fill('Acme');
    await dialog.getByLabel('E-mail of the contact').fill('anna@acme.example');
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: PNG });
    await dialog.getByAltText('Preview of the logo').waitFor();
    await expectImageLoaded(page, '[role="dialog"] img');
    await expectReadable(page, 'the dialog for a new client');
    await dialog.getByRole('button', { name: 'Create client' }).click();
    await waitForDialogToClose(page);
    await page.getByRole('row', { name: /Acme/ }).getByText('None').waitFor();
    await expectImageLoaded(page, 'table img');

    await page.getByRole('link', { name: 'Sites', exact: true }).click();
    await page.getByLabel(/^Select .*\/alder$/).check();
    await page.getByLabel(/^Select .*\/birch$/).check();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Set client…' }).click();
    await dialog.getByRole('combobox', { name: 'Client' }).click();
    await page.getByRole('option', { name: 'Acme' }).click();
    await dialog.getByRole('button', { name: 'Set client of 2 sites' }).click();
    await page.getByText('Client changed on 2 sites.').waitFor();
    await waitForDialogToClose(page);

    await page.getByRole('combobox', { name: 'Client' }).click();
    await page.getByRole('option', { name: 'Acme (2)' }).click();
    await page.getByText('2 sites match').waitFor();
    await page.reload();
    await page.getByText('2 sites match').waitFor();
    await page.getByRole('columnheader', { name: 'Client' }).waitFor();
    await expectReadable(page, 'sites of a client');

    await page.getByRole('link', { name: /\/alder$/ }).click();
    await page.getByRole('button', { name: 'Edit name, client and note' }).click();
    await dialog.getByLabel('Display name').fill('Acme Shop');
    await dialog.getByLabel('Note').fill('Ask Anna first.');
    await expectReadable(page, 'the dialog of a site');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: /^Acme Shop \(.*\/alder\)$/ }).waitFor();
    await page.getByText('Ask Anna first.').waitFor();
    const history = page.getByRole('list', { name: 'History' });
    await history.getByText(/set the display name of this site to Acme Shop/).waitFor();
    await history.getByText(/added this site to client Acme/).waitFor();
    await expectReadable(page, 'a site with a client and a note');

    await page.goto(`${panel.url}/clients`);
    await page.getByRole('link', { name: 'Show 2 sites of Acme' }).waitFor();
    await expectReadable(page, 'clients');
    expectNoFaults(visitor);
  });
});
