import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();

describe('sign-in', () => {
  it('refuses a wrong password and opens the requested page after the right one', async () => {
    const visitor = await panel.visitor();
    const { page } = visitor;
    await page.goto(`${panel.url}/account`);
    await page.getByLabel('E-mail').fill(panel.owner.email);
    await page.getByLabel('Password', { exact: true }).fill('not the right one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('password is wrong').waitFor();
    await expectAccessible(page, 'sign-in, refused');
    const password = page.getByLabel('Password', { exact: true });
    await password.fill(panel.owner.password);
    const eye = page.getByRole('button', { name: 'Show or hide the password' });
    expect(await password.getAttribute('type')).toBe('password');
    await eye.click();
    expect(await password.getAttribute('type')).toBe('text');
    await eye.click();
    expect(await password.getAttribute('type')).toBe('password');
    await password.press('Enter');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/account');
    expectNoFaults(visitor);
  });

  it('does not redirect to another site', async () => {
    const { page } = await panel.signIn(panel.owner, '//example.com/x');
    expect(new URL(page.url()).origin).toBe(panel.url);
  });

  it('is required again after the session was ended in another browser', async () => {
    const person = await panel.newUser('owner', 'Two');
    const first = await panel.signIn(person, '/account');
    const second = await panel.signIn(person, '/account');
    await second.page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await second.page.getByText('Signed out of all other sessions.').waitFor();
    await first.page.reload();
    await first.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

describe('account', () => {
  it('lets a user change the password, end one session and sign out', async () => {
    const person = await panel.newUser('manager', 'Max');
    const other = await panel.signIn(person, '/account');
    const visitor = await panel.signIn(person, '/account');
    const { page } = visitor;
    await page.getByText('Manager, can manage the sites granted to you').waitFor();
    await expectAccessible(page, 'account');

    await page.getByRole('button', { name: 'Sign out Chrome on Linux' }).click();
    await page
      .getByRole('button', { name: 'Sign out Chrome on Linux' })
      .waitFor({ state: 'detached' });
    await other.page.reload();
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();

    await page.getByLabel('Current password').fill(person.password);
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Use at least 12 characters.').waitFor();
    await page.getByLabel('New password').fill('a much longer password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed.').waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await panel.signIn({ ...person, password: 'a much longer password' });
    expectNoFaults(visitor);
  });

  it('keeps other sessions after a password change if the user chooses so', async () => {
    const person = await panel.newUser('viewer', 'Ella');
    const other = await panel.signIn(person, '/account');
    const { page } = await panel.signIn(person, '/account');
    await page.getByLabel('Current password').fill(person.password);
    await page.getByLabel('New password').fill('quite another password');
    await page.getByLabel('Sign out everywhere else').uncheck();
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed.').waitFor();
    await page.getByRole('button', { name: 'Sign out Chrome on Linux' }).waitFor();
    await other.page.reload();
    await other.page.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  it('is readable in dark mode on a phone and remembers the colour scheme', async () => {
    const visitor = await panel.open(panel.owner, '/account', {
      width: 375,
      height: 700,
      scheme: 'dark',
    });
    const { page } = visitor;
    await expectAccessible(page, 'account, dark and narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('button', { name: 'Switch to light mode' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(await page.evaluate('document.documentElement.dataset.mantineColorScheme')).toBe(
      'light',
    );
    expectNoFaults(visitor);
  });
});

describe('palette', () => {
  it('opens with the keyboard and goes to a page', async () => {
    const { page } = await panel.open(panel.owner);
    await page.keyboard.press('Control+k');
    await page.getByLabel('Find a site, software, tag, license, user, run or page').fill('account');
    await page.getByText('Your account').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });
});

describe('first load', () => {
  it('is at most 300 KB of compressed script', async () => {
    const { page } = await panel.visitor();
    const scripts: Promise<{ responseBodySize: number }>[] = [];
    page.on('response', (response) => {
      const isScript = response.headers()['content-type']?.includes('javascript');
      if (isScript) scripts.push(response.request().sizes());
    });
    await page.goto(panel.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.waitForLoadState('networkidle');
    const sizes = (await Promise.all(scripts)).map(({ responseBodySize }) => responseBodySize);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(300_000);
  });
});
