import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { expectCopied } from '@steward/testkit/browser/clipboard.ts';
import {
  click,
  clickInDialog,
  getDialog,
  readPageWidth,
  waitForDialogToClose,
} from '@steward/testkit/browser/dialogs.ts';
import { createLicenseOpener } from '@steward/testkit/browser/license-sites.ts';
import { changeView } from '@steward/testkit/browser/use-browser.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();

const openLicense = createLicenseOpener(panel);
const VIEWS = [
  { scheme: 'light', width: 1440 },
  { scheme: 'dark', width: 1024 },
  { scheme: 'light', width: 375 },
  { scheme: 'dark', width: 375 },
] as const;

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
    await panel.database.pool.query('UPDATE sessions SET confirmed_at = NULL');
    await clickInDialog(page, 'Reveal key');
    const question = page.getByRole('dialog', { name: 'Confirm your identity' });
    await question.getByLabel('Your password').fill('not the right one');
    await question.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Wrong password.').waitFor();
    await expectAccessible(page, 'reveal key, refused');
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
    await page.getByText('Choose today or a later date.').waitFor();
    await getDialog(page).getByLabel('Valid through').fill('2199-01-31');
    await expectAccessible(page, 'change expiry');
    await clickInDialog(page, 'Change expiry');
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

  it('suspends and resumes it', async () => {
    const { page, visitor } = await openLicense(1, ['paused.example.com']);
    await click(page, 'Suspend license');
    await getDialog(page).getByText('The sites keep running and keep their seats.').waitFor();
    await expectAccessible(page, 'suspend license');
    await clickInDialog(page, 'Suspend license');
    await page.getByText('suspended', { exact: true }).waitFor();
    // No site can connect with a suspended license.
    await page.getByRole('button', { name: 'Connect a site' }).waitFor({ state: 'detached' });
    await click(page, 'Resume license');
    await expectAccessible(page, 'resume license');
    await clickInDialog(page, 'Resume license');
    await page.getByText('active', { exact: true }).waitFor();
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
    await expectAccessible(page, 'revoke license');
    await clickInDialog(page, 'Revoke license');
    await page.getByText('This license was revoked and cannot be restored.').waitFor();
    await page.getByText('0 of 2').waitFor();
    expect(await page.getByRole('button', { name: 'Disconnect site' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Resume license' }).count()).toBe(0);
    expectNoFaults(visitor);
  });
});

describe('license page', () => {
  it('is readable with all dialogs at every width in light and dark mode', async () => {
    const site = 'a-rather-long-name-for-the-shop-of-a-client.example.com';
    const { page, visitor } = await openLicense(2, [site]);
    await page.getByRole('table').waitFor();
    const expectReadable = async (name: string) => {
      for (const view of VIEWS) {
        await changeView(page, view);
        await expectAccessible(page, `${name}, ${view.scheme}, ${view.width} px wide`);
        expect(await readPageWidth(page)).toBeLessThanOrEqual(view.width);
      }
    };
    await expectReadable('license');
    for (const name of ['Reveal key', 'Connect a site', 'Revoke license', 'Change limit']) {
      await click(page, name);
      await getDialog(page).waitFor();
      await expectReadable(name);
      await page.keyboard.press('Escape');
      await waitForDialogToClose(page);
    }
    expectNoFaults(visitor);
  });
});
