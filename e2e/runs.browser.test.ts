import { SITE_IDS_MAX } from '@steward/contract';
import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { readPageWidth } from '@steward/testkit/browser/dialogs.ts';
import { changeView } from '@steward/testkit/browser/use-browser.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { holdCalls } from '@steward/testkit/sites/hold-calls.ts';
import { outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
type Fleet = Awaited<ReturnType<typeof panel.fleet>>;
type SignedInUser = Awaited<ReturnType<typeof panel.as>>;

const RESPOND_ASYNC = { headers: { prefer: 'respond-async' } };
const FORMS = 'forms/forms.php';
const DISK_FULL = 'The disk of the server is full.';

/** The state of a site on which one of two updates fails. */
const halfBroken = () => {
  const state = outdatedSite();
  state.plugins[FORMS] = { version: '1.0', newVersion: '1.1', updateFails: DISK_FULL };
  return state;
};
const lines = (page: Page) => page.getByRole('list', { name: 'Sites of this run' }).locator('> li');
const line = (page: Page, site: string) =>
  page.getByRole('button', { expanded: false }).filter({ hasText: site });
const filter = (page: Page, name: string) =>
  page
    .getByRole('navigation', { name: 'Filter by outcome' })
    .getByRole('link', { name, exact: true });
const waitForTitle = (page: Page, beginning: string) =>
  page.waitForFunction(`document.title.startsWith(${JSON.stringify(beginning)})`);

let fleet: Fleet;
let owner: SignedInUser;
let license: { id: number; license_key: string };

beforeAll(async () => {
  license = await panel.license(50);
  fleet = await panel.fleet(license.license_key);
  owner = await panel.as(panel.owner);
});

async function idsOf(names: string[]): Promise<number[]> {
  const { body } = await owner.get('/panel/sites?limit=200');
  return names.map(
    (name) => body.sites.find((site: { name: string }) => site.name.endsWith(`/${name}`)).id,
  );
}
const start = async (siteIds: number[], as = owner, path = '/remote/update') =>
  (await as.post(path, { site_ids: siteIds }, RESPOND_ASYNC)).body.run_id as number;

describe('the page of a run', () => {
  it('updates live and explains each failure, its meaning and the next steps', async () => {
    const good = await fleet.add('good');
    const broken = await fleet.add('broken', halfBroken());
    const away = await panel.fleet(license.license_key);
    await away.add('down');
    const siteIds = await idsOf(['good', 'broken', 'down']);
    await away.stop();
    const release = holdCalls(good);
    const runId = await start(siteIds);

    const visitor = await panel.open(panel.owner, `/runs/${runId}`);
    const { page } = visitor;
    await page.getByRole('heading', { name: 'Update of 3 sites' }).waitFor();
    await page.evaluate('window.isSamePage = true');
    await page.getByText('Started by you').waitFor();
    await filter(page, 'Failed 1').waitFor();
    await filter(page, 'Partly failed 1').waitFor();
    await filter(page, 'Running 1').waitFor();
    await waitForTitle(page, '66 % · Update of 3 sites');
    await expectAccessible(page, 'a running run');
    release();
    await page.getByText('Finished after').waitFor();
    await filter(page, 'Succeeded 1').waitFor();
    await waitForTitle(page, 'Update of 3 sites');
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    expect(good.state.plugins[SHOP]?.version).toBe('2.0');

    const order = await lines(page).allTextContents();
    expect(order.map((text) => /Failed|Partly failed|Succeeded/.exec(text)?.[0])).toEqual([
      'Failed',
      'Partly failed',
      'Succeeded',
    ]);

    await line(page, '/down').click();
    await page.getByRole('paragraph').filter({ hasText: 'refused the connection.' }).waitFor();
    await page.getByText('No changes were made.').waitFor();
    await page.getByRole('button', { name: 'Retry this site' }).waitFor();
    const link = page.getByRole('link', { name: 'Open website' });
    expect(await link.getAttribute('rel')).toBe('noreferrer');
    expect(await link.getAttribute('target')).toBe('_blank');
    await page.getByText('Raw response').click();
    await page.getByText('"code": "site_unreachable"').waitFor();
    await line(page, '/down')
      .or(page.getByRole('button', { expanded: true }))
      .first()
      .click();

    await line(page, '/broken').click();
    await page.getByText('1 of 2 updates failed.').waitFor();
    const items = page.getByRole('list', { name: 'Items' });
    await items.getByText(DISK_FULL).waitFor();
    await items.getByText('still 1.0').waitFor();
    await page.getByText('Failed items stay on their old version, unless').waitFor();
    await expectAccessible(page, 'a run with an open failure');

    // The run looks the same after a reload and in another browser.
    await filter(page, 'Partly failed 1').click();
    await page.waitForURL('**/runs/*?status=partial');
    expect(await lines(page).count()).toBe(1);
    await page.reload();
    await line(page, '/broken').waitFor();
    expect(await lines(page).count()).toBe(1);
    await filter(page, 'All 3').click();
    await line(page, '/down').waitFor();
    const elsewhere = await panel.open(panel.owner, `/runs/${runId}`, {
      width: 375,
      height: 700,
      scheme: 'dark',
    });
    await line(elsewhere.page, '/down').click();
    await elsewhere.page.getByText('No changes were made.').waitFor();
    await expectAccessible(elsewhere.page, 'a run, dark and narrow');
    expect(await readPageWidth(elsewhere.page)).toBeLessThanOrEqual(375);

    // A retry starts a new run with the failed sites.
    const { [FORMS]: forms } = broken.state.plugins;
    if (forms) delete forms.updateFails;
    await page.getByRole('button', { name: 'Retry 2 sites' }).click();
    await page.getByRole('heading', { name: 'Update of 2 sites' }).waitFor();
    await filter(page, 'Succeeded 1').waitFor();
    await page.getByText('Finished after').waitFor();
    expect(broken.state.plugins[FORMS]?.version).toBe('1.1');
    await page.getByRole('link', { name: 'an earlier run' }).click();
    await page.waitForURL(`**/runs/${runId}`);

    await line(page, '/down').click();
    await page.getByRole('button', { name: 'Retry this site' }).click();
    await page.getByRole('heading', { name: /^Update of .*\/down$/ }).waitFor();
    expectNoFaults(visitor);
    expectNoFaults(elsewhere);
  });

  it('shows that a lost answer is being verified, and then the result', async () => {
    const site = await fleet.add('lost');
    site.faults.response = 'cut_after_work';
    const runId = await start(await idsOf(['lost']));
    const visitor = await panel.open(panel.owner, `/runs/${runId}`);
    const { page } = visitor;
    await filter(page, 'Verifying 1').waitFor();
    await line(page, '/lost').click();
    await page.getByText('Steward is verifying the result with the site').waitFor();
    await page.getByText('Verifying 1 site').waitFor();
    delete site.faults.response;
    await filter(page, 'Succeeded 1').waitFor({ timeout: 60_000 });
    await page.getByText('Updated 1 plugin').waitFor();
    expectNoFaults(visitor);
  });

  it('cancels queued sites, finishes started ones, and can retry the rest', async () => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
    const sites = await Promise.all(names.map((name) => fleet.add(name)));
    const release = holdCalls(...sites);
    const runId = await start(await idsOf(names));
    const visitor = await panel.open(panel.owner, `/runs/${runId}`);
    const { page } = visitor;
    // The concurrency limit is two calls per address.
    const called = () => sites.filter(({ calls }) => calls.includes('update'));
    await expect.poll(() => called().length, { timeout: 30_000 }).toBe(2);
    await page.getByRole('button', { name: 'Cancel run' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('queued sites will not be changed.').waitFor();
    await dialog.getByText('in progress and will finish.').waitFor();
    await expectAccessible(page, 'cancelling a run');
    await dialog.getByRole('button', { name: 'Keep running' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await dialog.getByRole('button', { name: 'Cancel run' }).click();
    await filter(page, 'Cancelled 6').waitFor();
    await page.getByText('Waiting for the sites that are already in progress.').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel run' }).count()).toBe(0);
    release();
    await page.getByText('Cancelled. Finished after').waitFor();
    await filter(page, 'Succeeded 2').waitFor();
    const updated = sites.filter(({ state }) => state.plugins[SHOP]?.version === '2.0');
    expect(updated).toEqual(called());
    expect(updated).toHaveLength(2);

    await page.getByRole('button', { name: 'Retry 6 sites' }).click();
    await page.getByRole('heading', { name: 'Update of 6 sites' }).waitFor();
    await filter(page, 'Succeeded 6').waitFor();
    await page.getByRole('button', { name: 'Sync these 6 sites' }).click();
    await page.getByRole('heading', { name: 'Sync of 6 sites' }).waitFor();
    await filter(page, 'Succeeded 6').waitFor();
    await page.getByText('Synced').first().waitFor();
    expectNoFaults(visitor);
  });

  it('renders few lines for 10,000 sites', async () => {
    const unknown = Array.from({ length: SITE_IDS_MAX }, (_, index) => 5_000_000 + index);
    const runId = await start(unknown);
    const visitor = await panel.open(panel.owner, `/runs/${runId}`);
    const { page } = visitor;
    await filter(page, 'Refused 10,000').waitFor();
    expect(await lines(page).count()).toBe(1);
    await line(page, '10,000 sites: ').click();
    await page.getByText('Site 5000000').waitFor();
    expect(await lines(page).count()).toBeLessThan(100);
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    await page.getByText('Site 5009999').waitFor();
    expect(await lines(page).count()).toBeLessThan(100);
    await line(page, 'Site 5009999').click();
    await page.getByText('The site was removed, or you do not have access to it.').waitFor();
    expectNoFaults(visitor);
  });
});

describe('the runs page', () => {
  it('shows an empty state, and loads older runs', async () => {
    const person = await panel.newUser('manager', 'Mona');
    const visitor = await panel.open(person, '/runs');
    const { page } = visitor;
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    await expectAccessible(page, 'no runs');
    const mona = await panel.as(person);
    const first = await start([6_000_000], mona, '/panel/sites/sync');
    for (let index = 0; index < 50; index++) await start([6_000_000, 6_000_001], mona);
    await page.reload();
    const list = page.getByRole('list', { name: 'Runs' });
    await list.getByText('Update of 2 sites').first().waitFor();
    expect(await list.getByRole('listitem').count()).toBe(50);
    await page.getByRole('button', { name: 'Load older runs' }).click();
    await list.getByText('Sync of 1 site').click();
    await page.waitForURL(`**/runs/${first}`);
    expectNoFaults(visitor);
  });

  it('shows the outcome and starter of each run, and updates live', async () => {
    const site = await fleet.add('listed');
    const release = holdCalls(site);
    await start(await idsOf(['listed']));
    const visitor = await panel.open(panel.owner, '/runs');
    const { page } = visitor;
    const latest = page.getByRole('list', { name: 'Runs' }).getByRole('listitem').first();
    await latest.getByText('1 running').waitFor();
    await page.getByText('Mona').first().waitFor();
    await expectAccessible(page, 'runs');
    release();
    await latest.getByText('1 succeeded').waitFor();
    await changeView(page, { width: 375, height: 700, scheme: 'dark' });
    await expectAccessible(page, 'runs, dark and narrow');
    expect(await readPageWidth(page)).toBeLessThanOrEqual(375);
    expectNoFaults(visitor);
  });
});
