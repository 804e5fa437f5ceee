import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { expectCopied } from '@steward/testkit/browser/clipboard.ts';
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
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();

const readSearch = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const openLicense = createLicenseOpener(panel);

describe('creating a license', () => {
  it('starts from an empty list, shows the key once, copies it and detects the new site', async () => {
    const visitor = await panel.open(panel.owner, '/licenses');
    const { page, context } = visitor;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('heading', { name: 'No licenses yet' }).waitFor();
    await expectAccessible(page, 'no licenses');
    await click(page, 'Create license');
    expect(readSearch(page)).toEqual({ new: '1' });

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

describe('license key', () => {
  it('is revealed after confirmation with the password, and the audit log records it', async () => {
    const { id, license_key, page, visitor } = await openLicense(2);
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const owner = await panel.as(panel.owner);
    const records = async () =>
      (await owner.get(`/panel/audit?action=reveal_key&entity_id=${id}`)).body.records;
    await click(page, 'Reveal key');
    await page.getByText('The audit log records that you revealed the key.').waitFor();
    await clickInDialog(page, 'Cancel');
    await waitForDialogToClose(page);
    await click(page, 'Reveal key');
    await panel.pool.query('UPDATE sessions SET confirmed_at = NULL');
    await clickInDialog(page, 'Reveal key');
    const question = page.getByRole('dialog', { name: 'Confirm your identity' });
    await question.getByLabel('Your password').fill('not the right one');
    await question.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Wrong password.').waitFor();
    expect(await records()).toEqual([]);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await getDialog(page)
      .getByRole('alert')
      .getByText('Confirm your identity with your password')
      .waitFor();

    await clickInDialog(page, 'Reveal key');
    await question.getByLabel('Your password').fill(panel.owner.password);
    await page.keyboard.press('Enter');
    const field = getDialog(page).getByLabel('License key');
    await field.waitFor();
    expect(await field.inputValue()).toBe(license_key);
    await expectCopied(page, license_key);
    await expectAccessible(page, 'revealed key');
    await clickInDialog(page, 'Done');
    await waitForDialogToClose(page);
    expect(await records()).toMatchObject([{ entity_type: 'license', entity_id: String(id) }]);
    expect(await page.content()).not.toContain(license_key);
    expectNoFaults(visitor);
  });
});

describe('copying a license key', () => {
  it('works without the clipboard API, for example without https', async () => {
    const { license_key, page, visitor } = await openLicense(1);
    await page.evaluate('delete Navigator.prototype.clipboard');
    await click(page, 'Reveal key');
    await clickInDialog(page, 'Reveal key');
    await clickInDialog(page, 'Copy');
    await getDialog(page).getByRole('button', { name: 'Copied' }).waitFor();
    await clickInDialog(page, 'Done');
    await waitForDialogToClose(page);
    await click(page, 'Revoke license');
    const field = getDialog(page).getByRole('textbox');
    await field.focus();
    await page.keyboard.press('Control+V');
    expect(await field.inputValue()).toBe(license_key);
    expectNoFaults(visitor);
  });
});

describe('changing a license', () => {
  it('sets the expiry to a date in the time zone of the user, and to never', async () => {
    const { id, page, visitor } = await openLicense(1);
    const owner = await panel.as(panel.owner);
    const readExpiry = async () =>
      (await owner.get(`/panel/licenses/${id}`)).body.license.expires_at;
    await click(page, 'Change expiry');
    await getDialog(page).getByLabel('Never expires').uncheck();
    await getDialog(page).getByLabel('Valid through').fill('2001-01-01');
    await page.getByText('Choose today or a later date.').first().waitFor();
    await getDialog(page).getByLabel('Valid through').fill('2199-01-31');
    await clickInDialog(page, 'Change expiry');
    await waitForDialogToClose(page);
    await page.getByText('Jan 31, 2199, 11:59:59').waitFor();
    expect(await readExpiry()).toBe('2199-01-31T22:59:59.000Z');
    await click(page, 'Change expiry');
    expect(await getDialog(page).getByLabel('Valid through').inputValue()).toBe('2199-01-31');
    await getDialog(page).getByLabel('Never expires').check();
    await clickInDialog(page, 'Change expiry');
    await waitForDialogToClose(page);
    expect(await readExpiry()).toBeNull();
    expectNoFaults(visitor);
  });

  it('revokes it after the user types the last characters of its key', async () => {
    const { lastSix, page, visitor } = await openLicense(2, ['x.example.com', 'y.example.com']);
    await click(page, 'Revoke license');
    await getDialog(page).getByText('It disconnects 2 sites.').waitFor();
    const button = getDialog(page).getByRole('button', { name: 'Revoke license' });
    expect(await button.isDisabled()).toBe(true);
    await getDialog(page).getByLabel(`Type ${lastSix}`).fill('000000');
    expect(await button.isDisabled()).toBe(true);
    await getDialog(page).getByLabel(`Type ${lastSix}`).fill(lastSix.toLowerCase());
    await clickInDialog(page, 'Revoke license');
    await page.getByText('This license was revoked and cannot be restored.').waitFor();
    await page.getByText('0 of 2').waitFor();
    expect(await page.getByRole('button', { name: 'Disconnect site' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Resume license' }).count()).toBe(0);
    expectNoFaults(visitor);
  });
});
