import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  expectNoFaults,
  type Person,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { holdCalls } from '@steward/testkit/sites/hold-calls.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

/** Retries of failed runs, and long runs behind newer ones. */

const panel = usePanelInBrowser();
const RESPOND_ASYNC = { headers: { prefer: 'respond-async' } };
const FORMS = 'forms/forms.php';
const UNKNOWN_SITE = 9_000_000;

let fleet: Awaited<ReturnType<typeof panel.fleet>>;
let owner: Awaited<ReturnType<typeof panel.as>>;
beforeAll(async () => {
  fleet = await panel.fleet((await panel.license(50)).license_key);
  owner = await panel.as(panel.owner);
});

/** Adds a site with a pending update and an inactive plugin. */
async function newSite(name: string) {
  const site = await fleet.add(name, {
    plugins: {
      [SHOP]: { version: '1.0', newVersion: '2.0', active: true },
      [FORMS]: { version: '5.3', active: false },
    },
    themes: {},
    core: { version: '6.8' },
  });
  const { body } = await owner.get(`/panel/sites?search=${name}`);
  return { site, id: body.sites[0].id as number };
}
const act = async (
  user: typeof owner,
  request: { site_id: number; action: string; plugin: string },
) => (await user.post('/remote/plugin-action', request)).body.run_id as number;
const update = async (siteIds: number[], user = owner) =>
  (await user.post('/remote/update', { site_ids: siteIds }, RESPOND_ASYNC)).body.run_id as number;
const openLine = (page: Page, site: string) =>
  page.getByRole('button', { expanded: false }).filter({ hasText: site }).click();

describe('a retried run', () => {
  it('links to its retry instead of offering a button', async () => {
    const { site, id } = await newSite('again');
    const forms = site.state.plugins[FORMS] ?? { version: '5.3' };
    forms.activationFails = 'It needs PHP 9.';
    const runId = await act(owner, { site_id: id, action: 'activate', plugin: FORMS });
    delete forms.activationFails;
    const visitor = await panel.open(panel.owner, `/runs/${runId}`);
    const { page } = visitor;
    await openLine(page, '/again');
    await page.getByRole('button', { name: 'Retry this site' }).click();
    await page.getByText('as a retry of an earlier run').waitFor();
    await page.getByRole('link', { name: 'Succeeded 1' }).waitFor();
    expect(forms.active).toBe(true);
    const retry = new URL(page.url()).pathname;

    await page.getByRole('link', { name: 'an earlier run' }).click();
    await page.waitForURL(`**/runs/${runId}`);
    const link = page.getByRole('link', { name: `Retried in run ${retry.split('/')[2]}` });
    await link.waitFor();
    await openLine(page, '/again');
    expect(await link.count()).toBe(2);
    expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
    await expectAccessible(page, 'a retried run');
    await page.reload();
    await link.click();
    await page.waitForURL(`**${retry}`);
    expectNoFaults(visitor);
  });
});

describe('a running run', () => {
  it('stays in the rail and in the count behind many newer runs', async () => {
    const { site, id } = await newSite('slow');
    const release = holdCalls(site);
    const runId = await update([id]);
    for (let newer = 0; newer < 51; newer++) await update([UNKNOWN_SITE]);
    const visitor = await panel.open(panel.owner, '/runs');
    const { page } = visitor;
    await page.getByText('Update and sync history, 1 running').waitFor();
    await page.getByRole('link', { name: 'Open the latest run: 0 %, 0 of 1 sites done' }).click();
    await page.waitForURL(`**/runs/${runId}`);
    release();
    await page.getByText('Finished after').waitFor();
    await page.getByRole('link', { name: /Open the latest run/ }).waitFor({ state: 'detached' });
    expectNoFaults(visitor);
  });
});

describe('the runs page without runs', () => {
  it('links to the sites', async () => {
    const person: Person = await panel.newUser('manager', 'Nora');
    const { page } = await panel.open(person, '/runs');
    await page.getByRole('link', { name: 'Go to sites' }).click();
    await page.waitForURL(`${panel.url}/sites`);
  });
});
