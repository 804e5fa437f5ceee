import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { expectReadable, WIDE_AND_LIGHT } from '@steward/testkit/browser/expect-readable.ts';
import { changeView } from '@steward/testkit/browser/use-browser.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { beforeAll, describe, it } from 'vitest';

const panel = usePanelInBrowser();
const NAME = 'Retail at night';

beforeAll(async () => {
  const { license_key } = await panel.license();
  const fleet = await panel.fleet(license_key);
  await fleet.add('shop');
  const owner = await panel.as(panel.owner);
  const { body } = await owner.get('/panel/sites');
  const [site] = body.sites as { id: number }[];
  await owner.call('PUT', `/panel/sites/${site?.id}/tags`, { tags: ['retail'] });
});

describe('a schedule', () => {
  it('opens every Tuesday for the sites with a tag, is disabled, and is deleted', async () => {
    const visitor = await panel.open(panel.owner, '/schedules');
    const { page } = visitor;
    await page.getByText('No schedules yet').waitFor();
    await page.getByRole('button', { name: 'Create schedule' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create schedule' });
    await dialog.getByLabel('Name').fill(NAME);
    await dialog.getByRole('radio', { name: 'Sites with a tag' }).check();
    await dialog.getByRole('combobox', { name: 'Tag' }).click();
    await page.getByRole('option', { name: 'retail' }).click();
    await dialog.getByText('1 site matches now.').waitFor();
    await dialog.getByLabel('From').fill('02:00');
    await dialog.getByLabel(/^To\b/).fill('05:00');
    await dialog.getByText(/Tuesdays 02:00–05:00 in the time zone of each site\./).waitFor();
    await expectAccessible(page, 'a new schedule');
    await dialog.getByRole('button', { name: 'Create schedule' }).click();

    // The browser has the time zone of the schedule.
    const calendar = page.getByRole('list', { name: 'Windows of the next 14 days' });
    await calendar.getByText('02:00–05:00').first().waitFor();
    await expectReadable(page, 'schedules');
    await changeView(page, WIDE_AND_LIGHT);

    await page.getByRole('switch', { name: `Enable ${NAME}` }).click({ force: true });
    await page.getByRole('button', { name: 'Disable schedule' }).click();
    await page.getByText('No window opens in the next 14 days.').waitFor();
    await page.getByRole('button', { name: `Actions for ${NAME}` }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete schedule' }).click();
    await page.getByText('No schedules yet').waitFor();
    expectNoFaults(visitor);
  });
});
