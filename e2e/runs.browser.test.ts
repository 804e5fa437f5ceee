import { SITE_IDS_MAX } from '@steward/contract';
import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { holdCalls } from '@steward/testkit/sites/hold-calls.ts';
import { createInBatches, outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
type Fleet = Awaited<ReturnType<typeof panel.fleet>>;
type SignedInUser = Awaited<ReturnType<typeof panel.as>>;

const RESPOND_ASYNC = { headers: { prefer: 'respond-async' } };
const FORMS = 'forms/forms.php';
const DISK_FULL = 'The disk of the server is full.';
const BROKEN = 'Version 8.1 breaks the site: HTTP 500.';

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
  license = await panel.license(100);
  fleet = await panel.fleet(license.license_key);
  owner = await panel.as(panel.owner);
});

async function idsOf(names: string[]): Promise<number[]> {
  const { body } = await owner.get('/panel/sites?limit=200');
  return names.map(
    (name) => body.sites.find((site: { name: string }) => site.name.endsWith(`/${name}`)).id,
  );
}
const start = async (siteIds: number[]) =>
  (await owner.post('/remote/update', { site_ids: siteIds }, RESPOND_ASYNC)).body.run_id as number;

describe('a run', () => {
  it('updates live in the list and on its page, explains failures, and is retried', async () => {
    const good = await fleet.add('good');
    const broken = await fleet.add('broken', halfBroken());
    const away = await panel.fleet(license.license_key);
    await away.add('down');
    const siteIds = await idsOf(['good', 'broken', 'down']);
    await away.stop();
    const release = holdCalls(good);
    const runId = await start(siteIds);

    const visitor = await panel.open(panel.owner, '/runs');
    const { page } = visitor;
    await page.evaluate('window.isSamePage = true');
    const latest = page.getByRole('list', { name: 'Runs' }).getByRole('listitem').first();
    await latest.getByText('1 running').waitFor();
    await latest.getByRole('link').click();
    await page.getByRole('heading', { name: 'Update of 3 sites' }).waitFor();
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

    await filter(page, 'Partly failed 1').click();
    await page.waitForURL('**/runs/*?status=partial');
    await page.reload();
    await line(page, '/broken').click();
    expect(await lines(page).count()).toBe(1);
    await page.getByRole('list', { name: 'Items' }).getByText(DISK_FULL).waitFor();
    await filter(page, 'All 3').click();

    // A retry starts a new run with the failed sites.
    const { [FORMS]: forms } = broken.state.plugins;
    if (forms) delete forms.updateFails;
    await page.getByRole('button', { name: 'Retry 2 sites' }).click();
    await page.getByRole('heading', { name: 'Update of 2 sites' }).waitFor();
    await filter(page, 'Succeeded 1').waitFor();
    await page.getByText('Finished after').waitFor();
    expect(broken.state.plugins[FORMS]?.version).toBe('1.1');
    const retry = new URL(page.url()).pathname;
    await page.getByRole('link', { name: 'an earlier run' }).click();
    await page.waitForURL(`**/runs/${runId}`);
    await page.getByRole('link', { name: `Retried in run ${retry.split('/')[2]}` }).click();
    await page.waitForURL(`**${retry}`);
    expectNoFaults(visitor);
  });

  it('is cancelled: queued sites stay as they are, started ones finish', async () => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
    const sites = await Promise.all(names.map((name) => fleet.add(name)));
    const release = holdCalls(...sites);
    const runId = await start(await idsOf(names));
    const visitor = await panel.open(panel.owner, `/runs/${runId}`);
    const { page } = visitor;
    // The concurrency limit is two calls per address.
    const called = () => sites.filter(({ calls }) => calls.includes('update'));
    await expect.poll(() => called().length).toBe(2);
    await page.getByRole('button', { name: 'Cancel run' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('queued sites will not be changed.').waitFor();
    await expectAccessible(page, 'cancelling a run');
    await dialog.getByRole('button', { name: 'Cancel run' }).click();
    await filter(page, 'Cancelled 6').waitFor();
    await page.getByText('Waiting for the sites that are already in progress.').waitFor();
    release();
    await page.getByText('Cancelled. Finished after').waitFor();
    await filter(page, 'Succeeded 2').waitFor();
    const updated = sites.filter(({ state }) => state.plugins[SHOP]?.version === '2.0');
    expect(updated).toEqual(called());
    expect(updated).toHaveLength(2);
    await page.getByRole('button', { name: 'Retry 6 sites' }).waitFor();
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

describe('a security fix for one plugin', () => {
  it('is installed from the overview in at most five clicks, and the run shows what was rolled back and why', async () => {
    const COUNT = 38;
    const FIXED = 'fixed/fixed.php';
    const { license_key } = await panel.license(COUNT, 'Team');
    const clients = await panel.fleet(license_key);
    const sites = await createInBatches(COUNT, (index) =>
      clients.add(`client-${index + 1}`, {
        plugins: {
          [FIXED]: { version: '8.0', newVersion: '8.1', active: true },
          [FORMS]: { version: '1.0', newVersion: '1.5', active: true },
        },
        themes: {},
        core: { version: '6.0', newVersion: '6.1' },
      }),
    );
    Object.assign(sites[3]?.state.plugins[FIXED] ?? {}, { updateRollsBack: BROKEN });
    const visitor = await panel.open(panel.owner, '/');
    const { page } = visitor;
    let clicks = 0;
    const click = async (target: Locator) => {
      clicks++;
      await target.click();
    };
    await click(page.getByRole('main').getByRole('link', { name: FIXED, exact: true }));
    await click(page.getByRole('button', { name: `Update on ${COUNT} sites` }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`${COUNT} sites will be updated`).waitFor();
    await click(dialog.getByRole('button', { name: `Update ${COUNT} sites` }));
    await page
      .getByText(`Updated on 37 of 38 sites, 1 rolled back. Reason: ${BROKEN}`)
      .waitFor({ timeout: 60_000 });
    // The failed site is the first line, and the line gives the reason too.
    const first = lines(page).getByRole('button').first();
    await first.getByText(BROKEN).waitFor();
    await click(first.filter({ hasText: '/client-4' }));
    await page.getByText('Rolled back', { exact: true }).waitFor();
    await page.getByText('still 8.0').waitFor();
    expect(clicks).toBeLessThanOrEqual(5);
    for (const [index, { state }] of sites.entries()) {
      expect(state.plugins[FIXED]?.version).toBe(index === 3 ? '8.0' : '8.1');
      // Nothing else was updated.
      expect([state.plugins[FORMS]?.version, state.core.version]).toEqual(['1.0', '6.0']);
    }

    // The site with the old version is found from the page of the plugin.
    await page.goto(`${panel.url}/software/item?type=plugin&slug=${FIXED}`);
    await page.getByRole('button', { name: 'Update on 1 site' }).waitFor();
    await page.getByRole('link', { name: '8.0' }).first().click();
    await page.getByText('Only 8.0').waitFor();
    await page.getByLabel(/^Select .*client-4$/).click();
    await page.getByRole('button', { name: `Manage ${FIXED}` }).click();
    await page.getByRole('menuitem', { name: 'Deactivate…' }).click();
    await dialog.getByRole('button', { name: 'Deactivate on 1 site' }).click();
    await page.getByText('Finished after').waitFor();
    expect(sites[3]?.state.plugins[FIXED]?.active).toBe(false);
    expectNoFaults(visitor);
  });
});
