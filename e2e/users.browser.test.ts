import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { expectCopied } from '@steward/testkit/browser/clipboard.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { registerSecret } from '@steward/testkit/logs.ts';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();

const dialog = (page: Page) => page.getByRole('dialog');
/** Replaces the public host in a link with the address of the test panel. */
function toLocalLink(link: string): string {
  const { pathname, hash } = new URL(link);
  registerSecret(hash.split('token=')[1] ?? '');
  return panel.url + pathname + hash;
}
const openUser = (page: Page, name: string) =>
  page.getByRole('table').getByRole('button', { name }).click();

describe('a user', () => {
  it('is invited with a link, sets a password, and sees the granted sites until access is revoked', async () => {
    const [first, second] = [await panel.license(), await panel.license(5, 'Solo')];
    await (await panel.fleet(first.license_key)).add('shop');
    await (await panel.fleet(second.license_key)).add('blog');
    const visitor = await panel.open(panel.owner, '/users');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Invite user' }).click();
    expect(new URL(page.url()).search).toBe('?new=1');
    await dialog(page).getByLabel('E-mail').fill('ines@example.com');
    await dialog(page).getByLabel('Name').fill('Ines');
    await dialog(page).getByLabel('Viewer').check();
    await dialog(page).getByText('Can view the sites granted to them.').waitFor();
    await dialog(page).getByRole('button', { name: 'Invite user' }).click();
    await page.getByRole('dialog', { name: 'Ines is invited' }).waitFor();
    await dialog(page).getByText('It is shown only once, works once and expires on').waitFor();
    await expectAccessible(page, 'invited');
    const link = await dialog(page).getByLabel('Password link').inputValue();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await expectCopied(page, link);
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('row', { name: /Ines ines@example\.com Viewer Invited No never/ })
      .waitFor();

    const { page: theirs } = await panel.visitor();
    await theirs.goto(toLocalLink(link));
    await theirs.getByLabel('Password', { exact: true }).fill('a password of Ines');
    await theirs.getByRole('button', { name: 'Set password' }).click();
    await theirs.getByRole('heading', { name: 'Overview' }).waitFor();
    const person = { email: 'ines@example.com', password: 'a password of Ines' };
    const seen = async () => {
      const { body } = await (await panel.as(person)).get('/panel/sites');
      return body.sites.map(({ name }: { name: string }) => name.split('/')[1]);
    };
    expect(await seen()).toEqual([]);

    await openUser(page, 'Ines');
    await dialog(page).getByText('Ines has no access to any site.').waitFor();
    const field = dialog(page).getByRole('combobox', { name: 'Grant access to sites' });
    await field.fill('nothing like it');
    await page
      .getByRole('listbox', { name: 'Grant access to sites' })
      .getByText('No results')
      .waitFor();
    await field.fill('sho');
    await page.getByRole('option', { name: /\/shop/ }).click();
    await dialog(page).getByRole('button', { name: 'Grant site access' }).click();
    const revocation = dialog(page).getByRole('button', { name: /^Revoke access: .*\/shop/ });
    await revocation.waitFor();
    expect(await seen()).toEqual(['shop']);
    await dialog(page)
      .getByRole('combobox', { name: 'Grant access to all sites of a license' })
      .fill('solo');
    await page.getByRole('option', { name: /Solo/ }).click();
    await dialog(page).getByRole('button', { name: 'Grant license access' }).click();
    await dialog(page)
      .getByText(/All sites of license …/)
      .waitFor();
    expect((await seen()).toSorted()).toEqual(['blog', 'shop']);
    await revocation.click();
    await revocation.waitFor({ state: 'detached' });
    expect(await seen()).toEqual(['blog']);
    expectNoFaults(visitor);
  });

  it('gets another name and role, and is signed out at once when disabled', async () => {
    const person = await panel.newUser('viewer', 'Dora');
    const visitor = await panel.open(panel.owner, '/users');
    const { page } = visitor;
    const theirs = await panel.open(person, '/account');
    await openUser(page, 'Dora');
    await page.getByRole('dialog', { name: 'Dora' }).waitFor();
    await page.reload();
    await dialog(page).getByLabel('Name').fill('Dora Two');
    await dialog(page).getByLabel('Manager').check();
    await dialog(page).getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes to Dora Two saved.').waitFor();
    await page.getByRole('dialog', { name: 'Dora Two' }).waitFor();

    await dialog(page).getByRole('button', { name: 'Disable user' }).click();
    const question = page.getByRole('dialog', { name: 'Disable Dora Two' });
    await question
      .getByText('All sessions and access tokens of this account end immediately')
      .waitFor();
    await expectAccessible(page, 'disable');
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await page.getByRole('dialog', { name: 'Dora Two' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Disable user' }).click();
    await question.getByRole('button', { name: 'Disable user' }).click();
    await page.getByText('This account is disabled').waitFor();
    await theirs.page.reload();
    await theirs.page.getByRole('heading', { name: 'Sign in' }).waitFor();

    await dialog(page).getByRole('button', { name: 'Enable user' }).click();
    await page.getByText('Dora Two is enabled.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /Dora Two .* Manager/ }).waitFor();
    expectNoFaults(visitor);
  });
});

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
});

describe('account', () => {
  it('lets a user change the password, end one session and sign out', async () => {
    const person = await panel.newUser('manager', 'Max');
    const other = await panel.signIn(person, '/account');
    const visitor = await panel.signIn(person, '/account');
    const { page } = visitor;
    await page.getByText('Manager, can manage the sites granted to you').waitFor();

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
});
