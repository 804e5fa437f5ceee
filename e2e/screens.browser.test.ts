import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { click, findTruncatedTexts } from '@steward/testkit/browser/dialogs.ts';
import { expectReadable, NARROW_AND_DARK } from '@steward/testkit/browser/expect-readable.ts';
import {
  expectNoFaults,
  type Person,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

/** Layout, and the states of screens that the walk through all pages does not reach. */

const panel = usePanelInBrowser();
const LONG_NAME = 'a-rather-long-name-for-the-shop-of-a-client';

/** The ids of a license with sites, of a suspended license, of a site with updates, and of a run with a failure. */
const ids = { license: 0, suspended: 0, site: 0, failing: 0, stopped: 0, run: 0 };
let newcomer: Person;

/** Creates sites in all states, and the run of an update that failed on one of them. */
beforeAll(async () => {
  const expiresAt = new Date(Date.now() + 9 * 24 * 60 * 60 * 1000);
  const license = await panel.license(5, 'Team', { expiresAt });
  const suspended = await panel.license(5, 'Small');
  const fleet = await panel.fleet(license.license_key);
  const failing = outdatedSite();
  Object.assign(failing.plugins[SHOP] ?? {}, { updateFails: 'The disk of the server is full.' });
  await fleet.add(LONG_NAME);
  await fleet.add('failing', failing);
  await fleet.add('new', { plugins: {}, themes: {}, core: { version: '6.0' } });
  await (await panel.fleet(suspended.license_key)).add('stopped');
  await panel.suspendLicense(suspended.id);

  const owner = await panel.as(panel.owner);
  const { body } = await owner.get('/panel/sites');
  const siteOf = (name: string): number =>
    body.sites.find((site: { name: string }) => site.name.endsWith(name)).id;
  Object.assign(ids, { license: license.id, suspended: suspended.id });
  Object.assign(ids, { site: siteOf(LONG_NAME), failing: siteOf('failing') });
  ids.stopped = siteOf('stopped');
  const change = { site_ids: [ids.site], add: ['care plan'] };
  await owner.post('/panel/sites/tags', change);
  const waiting = { headers: { prefer: 'wait=60' } };
  const run = await owner.post(
    '/remote/update',
    { site_ids: [siteOf('new'), ids.failing] },
    waiting,
  );
  expect(run.body.status).toBe('finished');
  ids.run = run.body.run_id;
  newcomer = await panel.newUser('manager', 'Mona');
});

/** Opens a screen without loading the page again. */
const visit = (page: Page, path: string) =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name });

type Screen = [path: string, content: (page: Page) => Locator];

async function expectReadableScreens(page: Page, screens: Screen[]): Promise<void> {
  for (const [path, findContent] of screens) {
    await visit(page, path);
    await findContent(page).first().waitFor();
    await expectReadable(page, path);
  }
}

describe('the screens', () => {
  it('of sites and software are readable in light and dark mode, also on a phone', async () => {
    const visitor = await panel.open(panel.owner);
    const { page } = visitor;
    await page.getByRole('link', { name: 'All runs' }).waitFor();
    await expectReadable(page, 'overview');
    const runs = page.locator('a[href^="/runs/"] .truncate');
    expect(await findTruncatedTexts(runs)).toEqual([]);
    await expectReadableScreens(page, [
      [`/sites/${ids.failing}`, (on) => on.getByRole('alert').getByText('The disk of the server')],
      [`/sites/${ids.stopped}`, (on) => on.getByText('The license of this site is suspended.')],
    ]);
    expectNoFaults(visitor);
  });

  it('of runs and records are readable in light and dark mode, also on a phone', async () => {
    const visitor = await panel.open(panel.owner, '/runs');
    const { page } = visitor;
    const openLine = (text: RegExp) => page.getByRole('button', { name: text }).first().click();
    await expectReadableScreens(page, [
      ['/runs', (on) => on.getByRole('list', { name: 'Runs' }).getByText('Update of 2 sites')],
    ]);
    await visit(page, `/runs/${ids.run}`);
    await openLine(/failing/);
    const items = page.getByRole('list', { name: 'Items' });
    await items.getByText('The disk of the server is full.').waitFor();
    await expectReadable(page, 'run');
    await visit(page, '/audit');
    await openLine(/suspended license/);
    await page.getByText('Event', { exact: true }).waitFor();
    await expectReadable(page, 'audit');
    await visit(page, '/docs');
    await page.getByRole('navigation', { name: 'Groups' }).waitFor();
    await expectReadable(page, 'description of the API');
    expectNoFaults(visitor);
  });

  it('are readable while they are empty', async () => {
    const visitor = await panel.open(newcomer, '/runs');
    const { page } = visitor;
    await expectReadableScreens(page, [
      ['/runs', heading('No runs yet')],
      ['/rollouts', (on) => on.getByText('No rollouts yet')],
      ['/sites', (on) => on.getByText('You do not have access to any site yet')],
    ]);
    expectNoFaults(visitor);
  });
});

/** The left edges of the text and of its element. */
const leftEdges = async (of: Locator): Promise<number[]> => {
  await of.waitFor();
  return of.evaluate((element) => {
    const text = element.ownerDocument.createRange();
    text.selectNodeContents(element);
    return [text.getBoundingClientRect().left, element.getBoundingClientRect().left];
  });
};

describe('the layout', () => {
  it('aligns tables with the heading, and shows what needs attention without scrolling', async () => {
    const visitor = await panel.open(panel.owner);
    const { page } = visitor;
    for (const name of ['Needs attention', 'Updates in the last 30 days']) {
      const region = page.getByRole('region', { name });
      await region.waitFor();
      const box = await region.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? Number.NaN)).toBeLessThanOrEqual(900);
    }
    for (const [path, name] of [
      ['/licenses', 'Licenses'],
      ['/users', 'Users'],
      ['/services', 'Services'],
    ] as const) {
      await visit(page, path);
      const [left] = await leftEdges(page.getByRole('heading', { level: 1, name }));
      const table = page.getByRole('table');
      expect(await leftEdges(table.getByRole('columnheader').first())).toEqual([left, left]);
    }
    await visit(page, '/sites');
    await page.getByRole('row', { name: /license suspended/ }).waitFor();
    const statuses = page.locator('td[data-column="status"] .truncate');
    expect(await findTruncatedTexts(statuses)).toEqual([]);
    expectNoFaults(visitor);
  });

  it('does not truncate statuses on a phone, and aligns numbers', async () => {
    const { page } = await panel.open(panel.owner, '/licenses', NARROW_AND_DARK);
    const word = page.getByRole('table').getByText('suspended', { exact: true });
    await word.waitFor();
    const widths = await word.evaluate((element) => [element.scrollWidth, element.clientWidth]);
    expect(widths[0]).toBeGreaterThan(0);
    expect(widths[0]).toBe(widths[1]);
    await visit(page, '/sites');
    await page.getByRole('row', { name: /failing/ }).waitFor();
    const rightOf = async (cell: string) => {
      const box = await page.locator(`${cell}[data-column="pending"]`).first().boundingBox();
      return Math.round((box?.x ?? 0) + (box?.width ?? 0));
    };
    expect(await rightOf('th')).toBe(await rightOf('td'));
  });

  it('has a link that skips the navigation for keyboard users', async () => {
    const visitor = await panel.open(panel.owner, '/account');
    const { page } = visitor;
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to content' });
    expect(await skip.and(page.locator(':focus')).count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.waitForFunction("document.activeElement?.id === 'page'");
    await page.keyboard.press('Tab');
    const first = page.getByRole('button', { name: 'Sign out', exact: true });
    expect(await first.and(page.locator(':focus')).count()).toBe(1);
    expectNoFaults(visitor);
  });

  it('has a menu on a phone, in which the user changes the colour scheme for good', async () => {
    const visitor = await panel.open(panel.owner, '/account', NARROW_AND_DARK);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Open menu' }).click();
    const menu = page.getByRole('dialog');
    await menu.getByRole('link', { name: 'Licenses' }).waitFor();
    const settings = menu.getByRole('group', { name: 'Settings' }).getByRole('link');
    expect(await settings.allTextContents()).toEqual([
      'Rules',
      'Schedules',
      'Notifications',
      'Services',
      'Backups',
    ]);
    await expectAccessible(page, 'the menu');
    await menu.getByRole('button', { name: 'Close menu' }).click();
    await menu.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Your account' }).waitFor();

    await page.getByRole('button', { name: 'Open menu' }).click();
    await click(page, 'Switch to light mode');
    await page.reload();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    const scheme = 'document.documentElement.dataset.mantineColorScheme';
    expect(await page.evaluate(scheme)).toBe('light');
    expectNoFaults(visitor);
  });
});

describe('the first load', () => {
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
    await expectReadable(page, 'sign-in');
  });
});
