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

beforeAll(async () => {
  const license = await panel.license();
  licenseId = license.id;
  const fleet = await panel.fleet(license.license_key);
  for (const name of names) {
    await fleet.add(name, name === 'fir' ? { ...outdatedSite(), plugins: {} } : outdatedSite());
  }
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
    // Narrower screens have no column for the version of the Steward plugin.
    await page.setViewportSize({ width: 1680, height: 900 });
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

  it('selects by click and with the keyboard: arrows, Space, a range with Shift, Enter', async () => {
    const visitor = await panel.open(panel.owner, '/sites');
    const { page } = visitor;
    await page.getByLabel(/^Select .*alder$/).click();
    await page.getByLabel(/^Select .*dogwood$/).click({ modifiers: ['Shift'] });
    await page.getByText('4 sites selected').waitFor();
    await page.getByRole('button', { name: 'Select none' }).click();
    await page.getByLabel('Select the 6 loaded sites').click();
    await page.getByText('6 sites selected').waitFor();
    // No other sites exist, so there is nothing more to select.
    expect(await page.getByRole('button', { name: /^Select all/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Select none' }).click();

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
    expectNoFaults(visitor);
  });
});

describe('bulk actions', () => {
  it('tag sites, preview an update, skip blocked sites, update the rest, and sync', async () => {
    const suspended = await panel.license(5, 'Small');
    const fleet = await panel.fleet(suspended.license_key);
    await fleet.add('gorse');
    await panel.suspendLicense(suspended.id);
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
    await page.getByRole('button', { name: 'Show all sites' }).click();

    await page.getByLabel('Select the 7 loaded sites').click();
    await page.getByRole('button', { name: 'Update 5 sites' }).click();
    await dialog.getByText('5 sites will be updated').waitFor();
    await dialog.getByText('license not valid').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('7 sites selected').waitFor();
    await page.getByRole('button', { name: 'Update 5 sites' }).click();
    await dialog.getByRole('button', { name: 'Update 5 sites' }).click();
    await page.waitForURL(/\/runs\/\d+$/);
    await page.getByText('Finished after').waitFor();
    await page.getByRole('link', { name: 'Succeeded 5' }).waitFor();
    await page.goto(`${panel.url}/sites?pending=any`);
    await page.getByText('1 site matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel(/^Select .*elm$/).click();
    await page.getByRole('button', { name: 'Sync' }).click();
    await page.getByRole('heading', { name: /^Sync of .*\/elm$/ }).waitFor();
    expectNoFaults(visitor);
  });
});
