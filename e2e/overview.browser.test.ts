import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  click,
  clickInDialog,
  findTruncatedTexts,
  getDialog,
  readPageWidth,
} from '@steward/testkit/browser/dialogs.ts';
import { changeView } from '@steward/testkit/browser/use-browser.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { registerSecret } from '@steward/testkit/logs.ts';
import { outdatedSite } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
const DONE_MARK = 'Done:';

const upToDateSite = () => ({ plugins: {}, themes: {}, core: { version: '6.0' } });

describe('the overview', () => {
  describe('without sites', () => {
    it('is readable on a phone in dark mode', async () => {
      const view = { width: 375, height: 800, scheme: 'dark' } as const;
      const visitor = await panel.open(panel.owner, '/', view);
      const { page } = visitor;
      await page.getByRole('heading', { name: 'Connect' }).waitFor();
      await expectAccessible(page, 'first run, dark and narrow');
      expect(await readPageWidth(page)).toBeLessThanOrEqual(375);
      expectNoFaults(visitor);
    });

    it('guides an owner to the first site in three steps and detects it', async () => {
      const visitor = await panel.open(panel.owner);
      const { page } = visitor;
      await page.getByRole('heading', { name: 'Create a license' }).waitFor();
      expect(await page.getByRole('img', { name: DONE_MARK }).count()).toBe(0);
      await expectAccessible(page, 'first run');
      await click(page, 'Create license');
      await getDialog(page).getByRole('combobox', { name: 'Plan' }).fill('Agency');
      await getDialog(page).getByLabel('Site limit').fill('10');
      await clickInDialog(page, 'Create license');
      const key = await getDialog(page).getByLabel('License key').inputValue();
      registerSecret(key);
      await clickInDialog(page, 'Done');
      await page.getByRole('link', { name: `…${key.slice(-6)}` }).waitFor();
      expect(await page.getByRole('img', { name: DONE_MARK }).count()).toBe(1);

      await page.getByRole('button', { name: 'Connect a site' }).click();
      // The test panel has a local address.
      await getDialog(page).getByText('Sites on the internet cannot reach it').waitFor();
      const download = page.waitForEvent('download');
      await getDialog(page).getByRole('button', { name: 'Download plugin' }).click();
      expect((await download).suggestedFilename()).toMatch(/^steward-.*-one-site\.zip$/);
      await expectAccessible(page, 'connect the first site');
      await page.keyboard.press('Escape');
      await page.getByRole('img', { name: DONE_MARK }).nth(1).waitFor();

      await page.getByText('Waiting for your first site').waitFor();
      const fleet = await panel.fleet(key);
      await fleet.add('shop');
      await page.getByText('Your first site is connected').waitFor();
      const link = page.getByRole('status').getByRole('link', { name: '/shop' });
      expect(await link.getAttribute('href')).toMatch(/^\/sites\/\d+$/);
      await expectAccessible(page, 'the first site');
      // The message appears only once, not after a reload.
      await page.reload();
      await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
      expect(await page.getByText('Your first site is connected').count()).toBe(0);
      expectNoFaults(visitor);
    });
  });

  describe('with sites', () => {
    it('shows what needs attention, updates per day, versions, states and latest runs', async () => {
      const soon = new Date(Date.now() + 9 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
      const expiring = await panel.run([
        'license',
        'create',
        '--plan',
        'Team',
        '--site-limit',
        '9',
        '--expires',
        soon,
      ]);
      registerSecret(expiring.license_key);
      const fleet = await panel.fleet(expiring.license_key);
      await fleet.add('fresh', upToDateSite());
      await fleet.add('old', outdatedSite());
      await fleet.add('gone', outdatedSite());
      fleet.remove('gone');
      const owner = await panel.as(panel.owner);
      const { body } = await owner.get(`/panel/sites/ids?license_id=${expiring.id}`);
      const waiting = { headers: { prefer: 'wait=60' } };
      const run = await owner.post('/remote/update', { site_ids: body.site_ids }, waiting);
      expect(run.body.status).toBe('finished');
      const overview = (await owner.get('/panel/overview')).body.overview;

      const visitor = await panel.open(panel.owner);
      const { page } = visitor;
      await page.getByRole('region', { name: 'Latest runs' }).waitFor();
      const section = (name: string) => page.getByRole('region', { name });
      for (const [status, count] of Object.entries<number>(overview.sites.by_status)) {
        const link = section('Sites by status').locator(`a[href="/sites?status=${status}"]`);
        expect(await link.count(), status).toBe(count > 0 ? 1 : 0);
        if (count === 0) continue;
        expect(await link.innerText()).toContain(String(count));
        await link.click();
        await page.getByText(`${count} ${count === 1 ? 'site matches' : 'sites match'}`).waitFor();
        await page.goBack();
        await link.waitFor();
      }
      const attention = section('Needs attention');
      await attention.getByRole('link', { name: '1 site is not reachable' }).waitFor();
      await attention.getByRole('button', { name: 'Sync 1 site' }).waitFor();
      const today = overview.updates_by_day.at(-1);
      expect(today.succeeded).toBeGreaterThan(0);
      const updates = section('Updates in the last 30 days');
      await updates.getByText(`${today.succeeded} succeeded`, { exact: true }).waitFor();
      expect(await updates.getByRole('table').getByRole('row').count()).toBeGreaterThanOrEqual(2);
      const [core] = overview.versions.cms.versions;
      await section('Versions in use')
        .getByRole('link', { name: core.version, exact: true })
        .click();
      const sites = core.sites === 1 ? '1 site matches' : `${core.sites} sites match`;
      await page.getByText(sites).waitFor();
      await page.goBack();
      await section('Latest runs').getByText('Update of 3 sites').waitFor();
      await section('Latest runs')
        .getByRole('img', { name: /1 failed/ })
        .waitFor();
      await attention.getByText('1 license expires within 30 days').waitFor();
      await expectAccessible(page, 'overview');

      // Both sections are visible without scrolling.
      for (const region of [attention, updates]) {
        const box = await region.boundingBox();
        expect((box?.y ?? 0) + (box?.height ?? Number.NaN)).toBeLessThanOrEqual(900);
      }

      const [plugin] = overview.outdated_plugins;
      await attention.getByRole('link', { name: plugin.name, exact: true }).click();
      await page.getByRole('heading', { name: plugin.name }).waitFor();
      await page.goBack();
      await attention.getByRole('link', { name: /^Team …/ }).click();
      await page.waitForURL(/\/licenses\/\d+$/);
      await page.goBack();
      await section('Latest runs').getByRole('link', { name: 'Update of 3 sites' }).click();
      await page.waitForURL(/\/runs\/\d+$/);
      await page.goBack();
      await page.getByRole('link', { name: 'All runs' }).click();
      await page.waitForURL(/\/runs$/);
      expectNoFaults(visitor);
    });

    it('links to the sites to update, and an update skips none of them', async () => {
      const suspended = await panel.license(5, 'Small');
      const fleet = await panel.fleet(suspended.license_key);
      await fleet.add('stopped', outdatedSite());
      await fleet.add('stopped-too', outdatedSite());
      await panel.run(['license', 'suspend', String(suspended.id)]);
      const owner = await panel.as(panel.owner);
      const number = (await owner.get('/panel/overview')).body.overview.sites.with_updates;
      const pending = (await owner.get('/panel/sites?pending=any')).body.total.count;
      expect(pending).toBe(number + 2);
      const sites = `${number} ${number === 1 ? 'site' : 'sites'}`;

      const visitor = await panel.open(panel.owner);
      const { page } = visitor;
      await page.getByRole('button', { name: `Update ${sites}` }).click();
      await getDialog(page)
        .getByRole('button', { name: `Update ${sites}` })
        .waitFor();
      await clickInDialog(page, 'Cancel');
      await page.getByRole('link', { name: `Pending updates on ${sites}` }).click();
      await page.getByText(`${sites} match`).waitFor();
      expect(await page.locator('input[aria-label="Pending updates"]').inputValue()).toBe(
        'Can be updated now',
      );
      await page.getByLabel(/^Select the .*loaded site/).click();
      await page.getByRole('button', { name: `Update ${sites}` }).click();
      const dialog = getDialog(page);
      await dialog.getByRole('button', { name: `Update ${sites}` }).waitFor();
      expect(await dialog.getByText('skipped').count()).toBe(0);
      expectNoFaults(visitor);
    });

    it('is readable at every width, in light and dark mode', async () => {
      const visitor = await panel.open(panel.owner);
      const { page } = visitor;
      await page.getByRole('link', { name: 'All runs' }).waitFor();
      for (const view of [
        { scheme: 'dark', width: 1440 },
        { scheme: 'light', width: 375 },
        { scheme: 'dark', width: 375 },
      ] as const) {
        await changeView(page, view);
        await expectAccessible(page, `overview, ${view.scheme}, ${view.width} px wide`);
        expect(await findTruncatedTexts(page.locator('a[href^="/runs/"] .truncate'))).toEqual([]);
        expect(await readPageWidth(page)).toBeLessThanOrEqual(view.width);
      }
      expectNoFaults(visitor);
    });
  });
});
