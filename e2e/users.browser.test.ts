import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { expectCopied } from '@steward/testkit/browser/clipboard.ts';
import { readPageWidth } from '@steward/testkit/browser/dialogs.ts';
import { changeView } from '@steward/testkit/browser/use-browser.ts';
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

describe('inviting a user', () => {
  it('shows a link once, with which the user sets a password and signs in', async () => {
    const visitor = await panel.open(panel.owner, '/users');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Invite user' }).click();
    expect(new URL(page.url()).search).toBe('?new=1');
    await expectAccessible(page, 'invite');
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
      .getByRole('row', { name: /Ines ines@example\.com Viewer Enabled No never/ })
      .waitFor();

    const { page: theirs } = await panel.visitor();
    await theirs.goto(toLocalLink(link));
    await theirs.getByLabel('Password', { exact: true }).fill('a password of Ines');
    await theirs.getByRole('button', { name: 'Set password' }).click();
    await theirs.getByRole('heading', { name: 'Sign in' }).waitFor();
    await panel.open({ email: 'ines@example.com', password: 'a password of Ines' });
    expectNoFaults(visitor);
  });
});

describe('user', () => {
  it('gets another name and role, and the dialog stays open after a reload', async () => {
    await panel.newUser('viewer', 'Rita');
    const visitor = await panel.open(panel.owner, '/users');
    const { page } = visitor;
    await openUser(page, 'Rita');
    await page.getByRole('dialog', { name: 'Rita' }).waitFor();
    await expectAccessible(page, 'user');
    await page.reload();
    await dialog(page).getByLabel('Name').fill('Rita Two');
    await dialog(page).getByLabel('Manager').check();
    await dialog(page).getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes to Rita Two saved.').waitFor();
    await page.getByRole('dialog', { name: 'Rita Two' }).waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(
      true,
    );
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /Rita Two .* Manager/ }).waitFor();
    expectNoFaults(visitor);
  });

  it('is signed out at once when disabled, and can be enabled again', async () => {
    const person = await panel.newUser('viewer', 'Dora');
    const theirs = await panel.open(person, '/account');
    const visitor = await panel.open(panel.owner, '/users');
    const { page } = visitor;
    await openUser(page, 'Dora');
    await dialog(page).getByRole('button', { name: 'Disable user' }).click();
    const question = page.getByRole('dialog', { name: 'Disable Dora' });
    await question
      .getByText('All sessions and access tokens of this account end immediately')
      .waitFor();
    await expectAccessible(page, 'disable');
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await page.getByRole('dialog', { name: 'Dora' }).waitFor();

    await dialog(page).getByRole('button', { name: 'Disable user' }).click();
    await question.getByRole('button', { name: 'Disable user' }).click();
    await page.getByText('This account is disabled').waitFor();
    await theirs.page.reload();
    await theirs.page.getByRole('heading', { name: 'Sign in' }).waitFor();

    await dialog(page).getByRole('button', { name: 'Enable user' }).click();
    await page.getByText('Dora is enabled.').waitFor();
    await panel.signIn(person);
    expectNoFaults(visitor);
  });

  it('gets a new password with a link', async () => {
    const person = await panel.newUser('viewer', 'Lena');
    const { page, context } = await panel.open(panel.owner, '/users');
    await openUser(page, 'Lena');
    await dialog(page).getByRole('button', { name: 'Create password link' }).click();
    const link = await dialog(page).getByLabel('Password link').inputValue();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await expectCopied(page, link);
    await panel.signIn(person);
    const { page: theirs } = await panel.visitor();
    await theirs.goto(toLocalLink(link));
    await theirs.getByLabel('Password', { exact: true }).fill('another long password');
    await theirs.getByRole('button', { name: 'Set password' }).click();
    await theirs.getByRole('heading', { name: 'Sign in' }).waitFor();
    await panel.signIn({ ...person, password: 'another long password' });
  });
});

describe('access', () => {
  it('to a site and to a license changes the visible sites', async () => {
    const [first, second] = [await panel.license(), await panel.license(5, 'Solo')];
    await (await panel.fleet(first.license_key)).add('shop');
    await (await panel.fleet(second.license_key)).add('blog');
    const person = await panel.newUser('viewer', 'Vera');
    const theirs = await panel.as(person);
    const seen = async () => {
      const { body } = await theirs.get('/panel/sites');
      return body.sites.map(({ name }: { name: string }) => name.split('/')[1]);
    };
    expect(await seen()).toEqual([]);

    const visitor = await panel.open(panel.owner, '/users');
    const { page } = visitor;
    await openUser(page, 'Vera');
    await dialog(page).getByText('Vera has no access to any site.').waitFor();
    await dialog(page).getByRole('combobox', { name: 'Grant access to sites' }).fill('sho');
    await page.getByRole('option', { name: /\/shop/ }).click();
    await dialog(page).getByRole('button', { name: 'Grant site access' }).click();
    await dialog(page)
      .getByRole('button', { name: /^Revoke access: .*\/shop/ })
      .waitFor();
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
    await expectAccessible(page, 'access');

    await dialog(page)
      .getByRole('button', { name: /^Revoke access: .*\/shop/ })
      .click();
    await dialog(page)
      .getByRole('button', { name: /^Revoke access: .*\/shop/ })
      .waitFor({ state: 'detached' });
    expect(await seen()).toEqual(['blog']);
    await dialog(page)
      .getByRole('button', { name: /^Revoke access: All sites/ })
      .click();
    await dialog(page).getByText('Vera has no access to any site.').waitFor();
    expect(await seen()).toEqual([]);
    expectNoFaults(visitor);
  });

  it('shows no results for an unknown site', async () => {
    const { page } = await panel.open(panel.owner, '/users?user=1');
    await dialog(page)
      .getByRole('combobox', { name: 'Grant access to sites' })
      .fill('nothing like it');
    await page
      .getByRole('listbox', { name: 'Grant access to sites' })
      .getByText('No results')
      .waitFor();
  });
});

describe('users page', () => {
  it('fits on a phone in light and dark mode', async () => {
    const visitor = await panel.open(panel.owner, '/users', { width: 375, height: 700 });
    const { page } = visitor;
    const expectReadable = async (name: string) => {
      for (const scheme of ['light', 'dark'] as const) {
        await changeView(page, { scheme });
        await expectAccessible(page, `${name}, narrow, ${scheme}`);
        expect(await readPageWidth(page)).toBeLessThanOrEqual(375);
      }
    };
    await page.getByRole('table').waitFor();
    await expectReadable('users');
    await openUser(page, 'Olive');
    await page
      .getByRole('dialog', { name: 'Olive' })
      .getByText('Owners have access to all sites.')
      .waitFor();
    await expectReadable('user');
    await page.goto(`${panel.url}/users?new=1`);
    await page.getByRole('dialog', { name: 'Invite user' }).waitFor();
    await expectReadable('invite');
    expectNoFaults(visitor);
  });
});
