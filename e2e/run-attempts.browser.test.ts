import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { confirm, dialogOf } from '@steward/testkit/browser/dialogs.ts';
import {
  expectNoFaults,
  type Person,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { hold } from '@steward/testkit/sites/held-site.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

/** What failed, and trying it again; and runs that go on while others come and end. */

const panel = usePanelInBrowser();
const AT_ONCE = { headers: { prefer: 'respond-async' } };
const FORMS = 'forms/forms.php';
const NOBODYS_SITE = 9_000_000;
const OLD_VERSION = 'The old version is still running.';

let fleet: Awaited<ReturnType<typeof panel.fleet>>;
let owner: Awaited<ReturnType<typeof panel.as>>;
beforeAll(async () => {
  fleet = await panel.fleet((await panel.license(50)).license_key);
  owner = await panel.as(panel.owner);
});

/** A site with an update that is pending, and a plugin that is off. */
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
const act = async (who: typeof owner, ask: { site_id: number; action: string; plugin: string }) =>
  (await who.post('/remote/plugin-action', ask)).body.run_id as number;
const update = async (siteIds: number[], who = owner) =>
  (await who.post('/remote/update', { site_ids: siteIds }, AT_ONCE)).body.run_id as number;
const ended = (runId: number) =>
  expect
    .poll(async () => (await owner.get(`/panel/runs/${runId}?limit=1`)).body.status)
    .toBe('finished');
const bannerOf = (page: Page) => page.getByRole('main').getByRole('alert');
const openLine = (page: Page, site: string) =>
  page.getByRole('button', { expanded: false }).filter({ hasText: site }).click();

describe('the words for a failure', () => {
  it('speak of an old version after an update alone', async () => {
    const { site, id } = await newSite('words');
    Object.assign(site.state.plugins[FORMS] ?? {}, { activationFails: 'It needs PHP 9.' });
    await act(owner, { site_id: id, action: 'activate', plugin: FORMS });
    const visitor = await panel.open(panel.owner, `/sites/${id}`);
    const { page } = visitor;
    await bannerOf(page).getByText('It needs PHP 9.').waitFor();
    await bannerOf(page).getByText('the plugin should be as it was').waitFor();
    await bannerOf(page).getByRole('button', { name: 'Sync this site' }).waitFor();
    expect(await bannerOf(page).getByText(OLD_VERSION).count()).toBe(0);
    const again = bannerOf(page).getByRole('button', { name: 'Try the updates again' });
    expect(await again.count()).toBe(0);

    Object.assign(site.state.plugins[SHOP] ?? {}, { updateFails: 'The package is broken.' });
    await act(owner, { site_id: id, action: 'update', plugin: SHOP });
    await page.reload();
    await bannerOf(page).getByText('The package is broken.').waitFor();
    await bannerOf(page).getByText(OLD_VERSION).waitFor();
    await again.waitFor();
    expectNoFaults(visitor);
  });

  it('do not promise that a plugin is as it was which could not be deleted', async () => {
    const { site, id } = await newSite('undeleted');
    Object.assign(site.state.plugins[FORMS] ?? {}, { active: true, requires: [SHOP] });
    const visitor = await panel.open(panel.owner, `/sites/${id}`);
    const { page } = visitor;
    await page.getByRole('button', { name: `More for ${SHOP}` }).click();
    await page.getByRole('menuitem', { name: 'Delete plugin' }).click();
    await dialogOf(page).getByRole('textbox').fill(SHOP);
    await confirm(page, 'Delete plugin');
    await dialogOf(page).getByText('Other active plugins require it').waitFor();
    await confirm(page, 'Cancel');
    const meaning = 'It may be switched off and its data removed; its files are still there.';
    await bannerOf(page).getByText(meaning).first().waitFor();
    await page.getByRole('link', { name: 'Show the attempt' }).first().click();
    await page.getByRole('heading', { name: `Delete ${SHOP}` }).waitFor();
    await openLine(page, '/undeleted');
    await page.getByText(meaning).waitFor();
    expectNoFaults(visitor);
  });
});

describe('a run that was tried again', () => {
  it('leads to the run that did, in place of a button', async () => {
    const { site, id } = await newSite('again');
    const forms = site.state.plugins[FORMS] ?? { version: '5.3' };
    forms.activationFails = 'It needs PHP 9.';
    const runId = await act(owner, { site_id: id, action: 'activate', plugin: FORMS });
    delete forms.activationFails;
    const visitor = await panel.open(panel.owner, `/runs/${runId}`);
    const { page } = visitor;
    await openLine(page, '/again');
    await page.getByRole('button', { name: 'Retry this site' }).click();
    await page.getByText('to try an earlier run again').waitFor();
    await page.getByRole('link', { name: 'Done 1' }).waitFor();
    expect(forms.active).toBe(true);
    const retry = new URL(page.url()).pathname;

    await page.getByRole('link', { name: 'an earlier run' }).click();
    await page.waitForURL(`**/runs/${runId}`);
    const link = page.getByRole('link', { name: `Tried again in run ${retry.split('/')[2]}` });
    await link.waitFor();
    await openLine(page, '/again');
    expect(await link.count()).toBe(2);
    expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
    await expectAccessible(page, 'a run that was tried again');
    await page.reload();
    await link.click();
    await page.waitForURL(`**${retry}`);
    expectNoFaults(visitor);
  });

  it('says so alone to who may not open the other', async () => {
    const { site, id } = await newSite('theirs');
    Object.assign(site.state.plugins[SHOP] ?? {}, { updateFails: 'No space left.' });
    const person = await panel.newPerson('manager', 'Mona');
    await panel.run(['access', 'grant', '--user', person.email, '--site', String(id)]);
    const runId = await update([id], await panel.as(person));
    await ended(runId);
    const visitor = await panel.open(person, `/runs/${runId}`);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Retry 1 site' }).waitFor();
    expect((await owner.post(`/panel/runs/${runId}/retry`, {})).status).toBe(200);
    // Somebody who still sees the button learns it by pressing it.
    await page.getByRole('button', { name: 'Retry 1 site' }).click();
    await page.getByText('An owner has tried it again.').waitFor();
    expect(await page.getByRole('button', { name: 'Retry 1 site' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: /Tried again/ }).count()).toBe(0);
    expectNoFaults(visitor);
  });
});

describe('a run that goes on', () => {
  it('is in the rail and counted, however many others came since', async () => {
    const { site, id } = await newSite('slow');
    const release = hold(site);
    const runId = await update([id]);
    for (let newer = 0; newer < 51; newer++) await update([NOBODYS_SITE]);
    const visitor = await panel.open(panel.owner, '/runs');
    const { page } = visitor;
    await page.getByText('1 run going on').waitFor();
    await page.getByRole('link', { name: '0 %, open the run: 0 of 1 sites done' }).click();
    await page.waitForURL(`**/runs/${runId}`);
    release();
    await page.getByText('Finished after').waitFor();
    await page.getByRole('link', { name: /open the run/ }).waitFor({ state: 'detached' });
    expectNoFaults(visitor);
  });

  it('is looked for among the sites where there is none', async () => {
    const person: Person = await panel.newPerson('manager', 'Nora');
    const { page } = await panel.open(person, '/runs');
    await page.getByRole('link', { name: 'Go to the sites' }).click();
    await page.waitForURL(`${panel.url}/sites`);
  });
});
