import { expectReadable, WIDE_AND_LIGHT } from '@steward/testkit/browser/expect-readable.ts';
import { changeView } from '@steward/testkit/browser/use-browser.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

const panel = usePanelInBrowser();
const HALTED = { timeout: 60_000 };

/** The state of a site that refuses its update before it changes anything. */
function refusingSite() {
  const state = outdatedSite();
  Object.assign(state.plugins[SHOP] ?? {}, {
    updateFails: 'It needs PHP 8.',
    failureCode: 'php_too_old',
  });
  return state;
}

/** Checks both views, and returns to the first one. */
async function checkViews(page: Page, name: string): Promise<void> {
  await expectReadable(page, name);
  await changeView(page, WIDE_AND_LIGHT);
}

let sites: { state: ReturnType<typeof outdatedSite>; calls: string[] }[];

beforeAll(async () => {
  const { license_key } = await panel.license(50);
  const fleet = await panel.fleet(license_key);
  sites = [];
  for (let index = 0; index < 4; index++) {
    sites.push(await fleet.add(`site-${index}`, index < 2 ? refusingSite() : outdatedSite()));
  }
  const owner = await panel.as(panel.owner);
  const { body } = await owner.get('/panel/sites?limit=200');
  for (const { id, name } of body.sites as { id: number; name: string }[]) {
    if (name.endsWith('site-0')) {
      await owner.call('PUT', `/panel/sites/${id}/tags`, { tags: ['canary'] });
    }
  }
});

it('a canary that fails without a change does not open ring 2 until a user decides', async () => {
  const versions = () => sites.map(({ state }) => state.plugins[SHOP]?.version);
  const visitor = await panel.open(panel.owner, '/sites');
  const { page } = visitor;
  await page.getByLabel('Select the 4 loaded sites').check();
  await page.getByRole('button', { name: 'Update 4 sites' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'In rings' }).check();
  await dialog.getByRole('button', { name: 'Remove ring 2' }).click();
  await dialog.getByRole('textbox', { name: 'Soak time', exact: true }).fill('0');
  const proof = dialog.getByLabel('Share of sites in each ring on which an update must succeed');
  expect(await proof.getAttribute('placeholder')).toBe('One site');
  await dialog.getByRole('button', { name: 'Start rollout to 4 sites' }).click();

  const banner = page.getByRole('alert').filter({ hasText: 'Rollout waits for proof' });
  await banner.waitFor(HALTED);
  await banner.getByText(`No site of the ring Canary installed ${SHOP} 2.0.`).waitFor();
  expect(sites.slice(1).flatMap(({ calls }) => calls.filter((call) => call === 'update'))).toEqual(
    [],
  );
  await checkViews(page, 'a rollout that waits for proof');

  // Another canary, which fails too.
  await banner.getByRole('button', { name: 'Choose other canaries' }).click();
  await dialog.getByRole('combobox', { name: 'Sites' }).fill('site-1');
  await page.getByRole('option', { name: /site-1$/ }).click();
  await page.keyboard.press('Tab');
  await checkViews(page, 'the choice of canaries');
  await dialog.getByRole('button', { name: 'Update 1 site first' }).click();
  await banner.waitFor({ state: 'detached' });
  await banner.waitFor(HALTED);
  expect(sites[1]?.calls).toContain('update');
  expect(versions()).toEqual(['1.0', '1.0', '1.0', '1.0']);

  await banner.getByRole('button', { name: 'Continue without proof' }).click();
  await dialog.getByLabel('Reason').fill('Both canaries have an old PHP version.');
  await checkViews(page, 'the reason to continue without proof');
  await dialog.getByRole('button', { name: 'Continue without proof' }).click();
  await banner.waitFor({ state: 'detached' });
  await page.getByText(/Both canaries have an old PHP version\./).waitFor();
  await expect.poll(versions, HALTED).toEqual(['1.0', '1.0', '2.0', '2.0']);
  await page.getByRole('status').getByText('Finished').waitFor(HALTED);
  await checkViews(page, 'a rollout that continued without proof');
  expectNoFaults(visitor);
});
