import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  clickInDialog,
  getDialog,
  waitForDialogToClose,
} from '@steward/testkit/browser/dialogs.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { registerSecret } from '@steward/testkit/logs.ts';
import { authenticatorApp } from '@steward/testkit/panel/authenticator-app.ts';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('authenticator app', () => {
  it('is set up, required at the next sign-in, used for confirmation and removed', async () => {
    const person = await panel.newUser('owner', 'Theo');
    const visitor = await panel.signIn(person, '/account');
    const { page } = visitor;
    await button(page, 'Set up app').click();
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await expectAccessible(page, 'set up an authenticator app');
    const key = getDialog(page).getByLabel('Key for your authenticator app');
    const app = authenticatorApp(await key.inputValue());
    const codeField = getDialog(page).getByLabel('Code from the app');
    await codeField.fill('000000');
    await clickInDialog(page, 'Turn on');
    await getDialog(page).getByRole('alert').getByText('This code is wrong').waitFor();
    await codeField.fill(await app.codeAt(new Date()));
    await clickInDialog(page, 'Turn on');
    const all = getDialog(page).getByLabel('All backup codes');
    await all.waitFor();
    const codes = (await all.inputValue()).split(' ');
    expect(codes).toHaveLength(10);
    codes.forEach(registerSecret);
    await clickInDialog(page, 'I have stored them');
    await waitForDialogToClose(page);
    await page.getByText('10 codes left').waitFor();

    await button(page, 'Sign out').click();
    // The account page has a field "E-mail" too.
    await button(page, 'Sign in').waitFor();
    await page.getByLabel('E-mail').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(person.password);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await expectAccessible(page, 'second step');
    await page.getByLabel('Code', { exact: true }).fill('aaaaa-aaaaa');
    await button(page, 'Sign in').click();
    await page.getByRole('alert').getByText('This code is wrong').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(codes[0] ?? '');
    await button(page, 'Sign in').click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();

    await page.goto(`${panel.url}/account`);
    await page.getByText('9 codes left').waitFor();
    await panel.pool.query('UPDATE sessions SET confirmed_at = NULL');
    await button(page, 'Remove app').click();
    await clickInDialog(page, 'Remove app');
    const question = page.getByRole('dialog', { name: 'Confirm your identity' });
    await question.getByLabel('One-time code or backup code').fill(codes[1] ?? '');
    await question.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Authenticator app removed.').waitFor();
    await waitForDialogToClose(page);
    await button(page, 'Set up app').waitFor();
    expectNoFaults(visitor);
  });
});

describe('passkey', () => {
  it('is added, used for sign-in, as second factor and for confirmation, and removed', async () => {
    // Browsers support passkeys only for host names, not for IP addresses.
    const url = panel.url.replace('127.0.0.1', 'localhost');
    const person = await panel.newUser('owner', 'Paula');
    const { page, context } = await panel.visitor();
    const device = await context.newCDPSession(page);
    await device.send('WebAuthn.enable');
    await device.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
    const typePassword = async () => {
      // The account page has a field "E-mail" too.
      await button(page, 'Sign in').waitFor();
      await page.getByLabel('E-mail').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await button(page, 'Sign in').click();
    };
    const account = () => page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.goto(`${url}/sign-in?next=/account`);
    await typePassword();
    await button(page, 'Add passkey').click();
    await getDialog(page).getByLabel('Name').fill('Laptop');
    await clickInDialog(page, 'Add passkey');
    await waitForDialogToClose(page);
    await page.getByText('Laptop').waitFor();
    await expectAccessible(page, 'account with a passkey');

    await button(page, 'Sign out').click();
    await button(page, 'Use a passkey').click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();

    await page.goto(`${url}/account`);
    await button(page, 'Sign out').click();
    await typePassword();
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await page.getByText('Use the passkey of your account.').waitFor();
    await button(page, 'Use a passkey').click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();

    await page.goto(`${url}/account`);
    await account();
    await panel.pool.query('UPDATE sessions SET confirmed_at = NULL');
    await button(page, 'Remove Laptop').click();
    await clickInDialog(page, 'Remove passkey');
    const question = page.getByRole('dialog', { name: 'Confirm your identity' });
    await question.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('Passkey removed.').waitFor();
    await waitForDialogToClose(page);
    await page.getByText('Laptop', { exact: true }).waitFor({ state: 'detached' });
  });
});
