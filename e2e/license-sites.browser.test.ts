import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  click,
  clickInDialog,
  getDialog,
  waitForDialogToClose,
} from '@steward/testkit/browser/dialogs.ts';
import { activateSite, createLicenseOpener } from '@steward/testkit/browser/license-sites.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { registerSecret } from '@steward/testkit/logs.ts';
import { describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
const openLicense = createLicenseOpener(panel);

describe('sites of a license', () => {
  it('are listed with seat and versions, and a disconnected site frees its seat', async () => {
    const { id, license_key, page, visitor } = await openLicense(1, [
      'one.example.com',
      'staging.example.com',
    ]);
    await page.getByText('1 of 1').waitFor();
    await page
      .getByText(
        'plus 1 site on a local or staging address, which does not count toward the site limit',
      )
      .waitFor();
    await page.getByRole('cell', { name: 'Yes', exact: true }).waitFor();
    await page.getByRole('cell', { name: 'No (local or staging address)' }).waitFor();
    await page.getByText('CMS 6.8.2, PHP 8.3.11, Steward 0.1.0').first().waitFor();
    const link = page.getByRole('link', { name: 'one.example.com' });
    expect(await link.getAttribute('href')).toMatch(/^\/sites\/\d+$/);
    const refused = await activateSite(panel.url, license_key, 'https://two.example.com');
    expect(refused.code).toBe('site_limit_reached');

    await click(page, 'Disconnect site one.example.com');
    await getDialog(page).getByText('and frees its seat.').waitFor();
    await expectAccessible(page, 'disconnect site');
    await clickInDialog(page, 'Cancel');
    await waitForDialogToClose(page);
    await page.getByText('1 of 1').waitFor();
    await click(page, 'Disconnect site one.example.com');
    await clickInDialog(page, 'Disconnect site');
    await page.getByText('one.example.com is disconnected.').waitFor();
    await page.getByText('0 of 1').waitFor();
    await page.getByRole('cell', { name: 'No (disconnected)', exact: true }).waitFor();
    const accepted = await activateSite(panel.url, license_key, 'https://two.example.com');
    expect(accepted.status).toBe(200);
    await page.getByRole('link', { name: 'View in Sites' }).click();
    await page.waitForURL(`${panel.url}/sites?license_id=${id}`);
    await page.getByRole('link', { name: 'staging.example.com' }).waitFor();
    expectNoFaults(visitor);
  });

  it('appear automatically while the user connects them', async () => {
    const { page, visitor } = await openLicense(3, ['old.example.com']);
    await click(page, 'Connect a site');
    await page.getByText('Waiting for the site').waitFor();
    const downloading = page.waitForEvent('download');
    await getDialog(page).getByRole('button', { name: 'Download plugin' }).click();
    const download = await downloading;
    expect([download.suggestedFilename(), await download.failure()]).toEqual([
      expect.stringMatching(/^steward-.*\.zip$/),
      null,
    ]);
    await getDialog(page).getByRole('tab', { name: 'Other CMS' }).click();
    const command = getDialog(page).getByLabel('Command to start the agent');
    await clickInDialog(page, 'Create code');
    await expect.poll(() => command.inputValue()).toMatch(/^LICENSE_KEY=STWE-\S+ npx /);
    const code = /LICENSE_KEY=(\S+)/.exec(await command.inputValue())?.[1] ?? '';
    registerSecret(code);
    await expectAccessible(page, 'connect a site');
    const fleet = await panel.fleet(code);
    await fleet.add('fresh');
    await getDialog(page).getByRole('status').getByRole('link', { name: '/fresh' }).click();
    await page.waitForURL(/\/sites\/\d+$/);
    expectNoFaults(visitor);
  });

  it('cannot be added when the site limit is reached, and a message says so', async () => {
    const { page } = await openLicense(1, ['full.example.com']);
    await click(page, 'Connect a site');
    await page.getByText('This license has no free seats.').waitFor();
  });

  it('are limited to the newest hundred, but all are counted', async () => {
    const { id, license_key, page, visitor } = await openLicense(150, ['staging.example.com']);
    for (let count = 1; count <= 101; count++) {
      await activateSite(panel.url, license_key, `https://many-${count}.example.com`);
    }
    await page.reload();
    await page.getByText('Showing the newest 100 of 102.').waitFor();
    // 100 sites and the header row.
    expect(await page.getByRole('row').count()).toBe(101);
    await page.getByRole('link', { name: 'many-101.example.com' }).waitFor();
    expect(await page.getByRole('link', { name: 'staging.example.com' }).count()).toBe(0);
    await page.getByText('101 of 150').waitFor();
    await page
      .getByText(
        'plus 1 site on a local or staging address, which does not count toward the site limit',
      )
      .waitFor();
    await click(page, 'Revoke license');
    await getDialog(page).getByText('It disconnects 102 sites.').waitFor();
    await clickInDialog(page, 'Cancel');
    await waitForDialogToClose(page);
    // A new site appears although the list was full before.
    await click(page, 'Connect a site');
    await page.getByText('Waiting for the site').waitFor();
    await activateSite(panel.url, license_key, 'https://late.example.com');
    await page.getByText('late.example.com is connected').waitFor();
    expect((await panel.run(['license', 'show', String(id)])).activations_total).toBe(103);
    expectNoFaults(visitor);
  });
});
