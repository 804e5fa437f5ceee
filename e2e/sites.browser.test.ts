import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { findTruncatedTexts } from '@steward/testkit/browser/dialogs.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
  type Visitor,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { outdatedSite } from '@steward/testkit/sites/site-fleet.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
const names = ['alder', 'birch', 'cedar', 'dogwood', 'elm', 'fir'];
let licenseId: number;
let siteIds: number[];

beforeAll(async () => {
  const license = await panel.license();
  licenseId = license.id;
  const fleet = await panel.fleet(license.license_key);
  for (const name of names) {
    await fleet.add(name, name === 'fir' ? { ...outdatedSite(), plugins: {} } : outdatedSite());
  }
  const owner = await panel.as(panel.owner);
  const { body } = await owner.get('/panel/sites');
  siteIds = body.sites.map(({ id }: { id: number }) => id);
});

const row = ({ page }: Visitor, name: string) =>
  page.getByRole('row').filter({ hasText: `/${name}` });
const shown = ({ page }: Visitor) =>
  page
    .locator('tr[data-row] a')
    .allInnerTexts()
    .then((texts) => texts.map((text) => text.split('/')[1]));

const choose = async ({ page }: Visitor, filter: string, option: string) => {
  await page.locator(`input[aria-label="${filter}"]`).click();
  await page.getByRole('option', { name: option }).click();
};

describe('the sites page', () => {
  it('searches while typing, filters, sorts, and keeps the state in the URL', async () => {
    const visitor = await panel.open(panel.owner, '/sites');
    const { page } = visitor;
    await page.getByText('6 sites', { exact: true }).waitFor();
    expect(await shown(visitor)).toEqual(names);
    await expectAccessible(page, 'sites');

    await page.keyboard.press('/');
    await page.keyboard.type('ced');
    await page.getByText('1 site matches').waitFor();
    expect(await shown(visitor)).toEqual(['cedar']);
    await page.reload();
    await page.getByText('1 site matches').waitFor();
    expect(await page.getByLabel('Search sites').inputValue()).toBe('ced');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('6 sites', { exact: true }).waitFor();

    await choose(visitor, 'Pending updates', 'No updates');
    await page.getByText('1 site matches').waitFor();
    expect(await shown(visitor)).toEqual(['fir']);
    await page.getByRole('button', { name: 'Clear filters' }).click();

    await choose(visitor, 'Status', 'Updates available');
    await page.getByText('5 sites match').waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('updates');
    await page.getByRole('button', { name: 'Clear filters' }).click();

    await choose(visitor, 'Environment', 'Staging');
    await page.getByText('No site matches').waitFor();
    await page.getByRole('button', { name: 'Show all sites' }).click();

    await page.getByRole('button', { name: 'Site', exact: true }).click();
    await expect.poll(() => shown(visitor)).toEqual([...names].reverse());
    for (const column of ['Status', 'Updates', 'CMS', 'PHP', 'Steward', 'Last check-in']) {
      await page.getByRole('button', { name: column, exact: true }).click();
      await page
        .getByRole('columnheader', { name: column })
        .and(page.locator('[aria-sort]'))
        .waitFor();
    }
    await page.goto(`${panel.url}/sites?license_id=${licenseId}`);
    await page.getByText('6 sites match').waitFor();
    await page.getByRole('button', { name: /^License: Agency …/ }).click();
    await page.getByText('6 sites', { exact: true }).waitFor();
    expectNoFaults(visitor);
  });

  it('supports the keyboard: arrows, Space, a range with Shift, Enter', async () => {
    const visitor = await panel.open(panel.owner, '/sites');
    const { page } = visitor;
    await row(visitor, 'alder').waitFor();
    await row(visitor, 'alder').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByText('1 site selected').waitFor();
    expect(await row(visitor, 'birch').getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('3 sites selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('selected').waitFor({ state: 'detached' });
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/sites\/\d+$/);
  });

  it('selects by click, a range with Shift, and all loaded sites', async () => {
    const visitor = await panel.open(panel.owner, '/sites');
    const { page } = visitor;
    await page.getByLabel(/^Select .*alder$/).click();
    await page.getByLabel(/^Select .*dogwood$/).click({ modifiers: ['Shift'] });
    await page.getByText('4 sites selected').waitFor();
    await expectAccessible(page, 'sites, some selected');
    await page.getByRole('button', { name: 'Select none' }).click();
    await page.getByLabel('Select the 6 loaded sites').click();
    await page.getByText('6 sites selected').waitFor();
    // No other sites exist, so there is nothing more to select.
    expect(await page.getByRole('button', { name: /^Select all/ }).count()).toBe(0);
  });

  it('opens the dialog to connect a site', async () => {
    const { page } = await panel.open(panel.owner, '/sites');
    await page.getByRole('button', { name: 'Connect a site' }).click();
    await page.getByRole('dialog').getByRole('tab', { name: 'WP-CLI' }).click();
    await page.getByRole('button', { name: 'Create command' }).click();
    const command = await page.getByLabel('WP-CLI command').inputValue();
    const url = /'(\S+)'/.exec(command)?.[1] ?? '';
    expect(new URL(url).pathname).toMatch(/^\/api\/v1\/plugin\/STWE-[-0-9A-Z]+\/steward\.zip$/);
    expect((await fetch(url)).headers.get('content-type')).toBe('application/zip');
  });

  it('works on a phone and in dark mode', async () => {
    const view = { width: 375, height: 700, scheme: 'dark' } as const;
    const visitor = await panel.open(panel.owner, '/sites', view);
    const { page } = visitor;
    await page.getByLabel(/^Select .*alder$/).click();
    await expectAccessible(page, 'sites, dark and narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    const rightOf = async (cell: string) => {
      const box = await page.locator(`${cell}[data-column="pending"]`).first().boundingBox();
      return Math.round((box?.x ?? 0) + (box?.width ?? 0));
    };
    expect(await rightOf('th')).toBe(await rightOf('td'));
    await page.getByRole('button', { name: 'Update 1 site' }).click();
    await page.getByRole('dialog').getByLabel('shop/shop.php').waitFor();
    await expectAccessible(page, 'update dialog, dark and narrow');
    expectNoFaults(visitor);
  });

  it('shows a message to a viewer without access, and offers no actions to a viewer', async () => {
    const viewer = await panel.newUser('viewer', 'Vera');
    const visitor = await panel.open(viewer, '/sites');
    await visitor.page.getByText('You do not have access to any site yet').waitFor();
    await panel.run(['access', 'grant', '--user', viewer.email, '--site', String(siteIds[0])]);
    await visitor.page.reload();
    await visitor.page.getByText('1 site', { exact: true }).waitFor();
    expect(await visitor.page.getByRole('checkbox').count()).toBe(0);
    expect(await visitor.page.getByRole('button', { name: 'Connect a site' }).count()).toBe(0);
    expectNoFaults(visitor);
  });
});

describe('bulk actions', () => {
  it('add and remove tags', async () => {
    const visitor = await panel.open(panel.owner, '/sites');
    const { page } = visitor;
    await page.getByLabel(/^Select .*alder$/).click();
    await page.getByLabel(/^Select .*birch$/).click();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Add tags').fill('a mistake');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await dialog.getByLabel('Add tags').fill('care plan');
    await page.keyboard.press('Enter');
    expect(await dialog.getByText('a mistake').count()).toBe(0);
    await expectAccessible(page, 'tag dialog');
    await dialog.getByRole('button', { name: 'Change tags of 2 sites' }).click();
    await page.getByText('Tags changed on 2 sites.').waitFor();
    await row(visitor, 'alder').getByText('care plan').waitFor();

    await choose(visitor, 'Tag', 'care plan (2)');
    await page.getByText('2 sites match').waitFor();
    await page.getByLabel('Select the 2 loaded sites').click();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await dialog.getByLabel('Remove tags').click();
    await page.getByRole('option', { name: 'care plan' }).click();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Change tags of 2 sites' }).click();
    await page.getByText('No site matches').waitFor();
    expectNoFaults(visitor);
  });

  it('sync sites in a run', async () => {
    const visitor = await panel.open(panel.owner, '/sites');
    await visitor.page.getByLabel(/^Select .*elm$/).click();
    await visitor.page.getByRole('button', { name: 'Sync' }).click();
    await visitor.page.waitForURL(/\/runs\/\d+$/);
    expectNoFaults(visitor);
  });

  it('preview an update, skip blocked sites, and update the rest', async () => {
    const suspended = await panel.license(5, 'Small');
    const fleet = await panel.fleet(suspended.license_key);
    await fleet.add('gorse');
    await panel.run(['license', 'suspend', String(suspended.id)]);
    const visitor = await panel.open(panel.owner, '/sites');
    const { page } = visitor;
    await row(visitor, 'gorse').getByText('license suspended').waitFor();
    expect(await findTruncatedTexts(page.locator('td[data-column="status"] .truncate'))).toEqual(
      [],
    );
    await page.getByLabel('Select the 7 loaded sites').click();
    await page.getByRole('button', { name: 'Update 7 sites' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('5 sites will be updated').waitFor();
    await dialog.getByText('license not valid').waitFor();
    await expectAccessible(page, 'update dialog');
    await dialog.getByRole('button', { name: '1 site skipped' }).click();
    await dialog.getByText('license not valid').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: '1 site skipped' }).click();
    await dialog.getByText('license not valid').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('7 sites selected').waitFor();

    await page.getByRole('button', { name: 'Update 7 sites' }).click();
    await dialog.getByRole('button', { name: 'Update 5 sites' }).click();
    await page.waitForURL(/\/runs\/\d+$/);
    const owner = await panel.as(panel.owner);
    await expect
      .poll(
        async () =>
          (await owner.get(new URL(page.url()).pathname.replace('/runs', '/panel/runs'))).body
            .counts,
        { timeout: 30_000 },
      )
      .toMatchObject({ succeeded: 5 });
    await page.goto(`${panel.url}/sites?pending=any`);
    await page.getByText('1 site matches').waitFor();
    expectNoFaults(visitor);
  });
});
