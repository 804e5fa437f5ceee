import { expectReadable, WIDE_AND_LIGHT } from '@steward/testkit/browser/expect-readable.ts';
import { changeView } from '@steward/testkit/browser/use-browser.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();

/** The state of a site that rolls its update to 2.0 back. */
function breakingSite() {
  const state = outdatedSite();
  const plugin = state.plugins[SHOP];
  if (plugin) plugin.updateRollsBack = 'The home page shows an error.';
  return state;
}

/** Checks both views, and returns to the first one. */
async function checkViews(page: Page, name: string): Promise<void> {
  await expectReadable(page, name);
  await changeView(page, WIDE_AND_LIGHT);
}

let sites: { name: string; state: ReturnType<typeof outdatedSite>; calls: string[] }[];

beforeAll(async () => {
  const { license_key } = await panel.license(50);
  const fleet = await panel.fleet(license_key);
  sites = [];
  for (let index = 0; index < 12; index++) {
    const state = index === 1 ? breakingSite() : outdatedSite();
    sites.push(await fleet.add(`site-${index}`, state));
  }
  const owner = await panel.as(panel.owner);
  const { body } = await owner.get('/panel/sites?limit=200');
  for (const site of body.sites as { id: number; name: string }[]) {
    if (!/site-[01]$/.test(site.name)) continue;
    await owner.call('PUT', `/panel/sites/${site.id}/tags`, { tags: ['canary'] });
  }
});

describe('a rollout of a version that breaks a site', () => {
  it('halts in the first ring, explains the next steps, and can be ended', async () => {
    const visitor = await panel.open(panel.owner, '/rollouts');
    const { page } = visitor;
    await page.getByText('No rollouts yet').waitFor();
    await page.getByRole('link', { name: 'Show sites with pending updates' }).click();

    await page.getByLabel('Select the 12 loaded sites').check();
    await page.getByRole('button', { name: 'Update 12 sites' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'In rings' }).check();
    const rings = dialog.getByRole('list', { name: 'Rings' }).getByRole('listitem');
    await rings.filter({ hasText: '8 sites' }).waitFor();
    expect(await rings.count()).toBe(3);
    await checkViews(page, 'the plan of a rollout');
    await dialog.getByRole('button', { name: 'Start rollout to 12 sites' }).click();

    const banner = page.getByRole('alert').filter({ hasText: 'Rollout halted' });
    await banner.waitFor({ timeout: 60_000 });
    await banner.getByText('First error: ').waitFor();
    await banner.getByText('The previous version is back on the troubled site.').waitFor();
    await banner.getByText('Quarantined: ').waitFor();
    await banner.getByRole('button', { name: 'Lift the quarantine and resume' }).waitFor();
    await page.getByRole('region', { name: 'Canary' }).getByText('Halted').waitFor();
    await page.getByRole('button', { name: /site-11: Waiting/ }).click();
    await page.getByText('The site has not been called yet.').waitFor();
    expect(sites[1]?.state.plugins[SHOP]?.version).toBe('1.0');
    expect(
      sites.slice(2).flatMap(({ calls }) => calls.filter((call) => call === 'update')),
    ).toEqual([]);
    await checkViews(page, 'a halted rollout');

    await page.getByRole('link', { name: /View run of .*site-1$/ }).click();
    await page.getByText('Part of the rollout').waitFor();
    await page.getByRole('button', { expanded: true }).filter({ hasText: 'site-1' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: /^Rollout halted: / }).click();

    await banner.getByRole('button', { name: 'End rollout' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End rollout' }).click();
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Rollouts' }).first().click();
    const list = page.getByRole('list', { name: 'Rollouts' });
    await list.getByText('Ended').waitFor();
    await checkViews(page, 'the list of rollouts');
    expectNoFaults(visitor);
  });
});
