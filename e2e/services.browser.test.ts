import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();

describe('the services', () => {
  it('are listed with what they are for, and for owners with the plans that have them', async () => {
    const visitor = await panel.open(panel.owner, '/services');
    const { page } = visitor;
    await page.getByText('There is no plan yet').waitFor();
    const service = page.getByRole('list', { name: 'Catalogue' }).getByRole('listitem');
    await service.getByText('Remote management').waitFor();
    await service.getByText('Update plugins, themes and core from the panel').waitFor();
    await service.getByText('Version 1.0.0').waitFor();
    await service.getByText('In no plan').waitFor();

    await panel.license(50, 'Agency');
    await panel.run(['plan', 'create', '--name', 'Free', '--site-limit', 'unlimited']);
    await page.reload();
    await service.getByText('In Agency, Free').waitFor();
    const plans = page.getByRole('table', { name: 'Plans' });
    await plans.getByRole('row', { name: 'Agency 50 sites Remote management' }).waitFor();
    await plans.getByRole('row', { name: 'Free Unlimited Remote management' }).waitFor();
    await expectAccessible(page, 'services');
    await plans.getByRole('link', { name: 'Agency' }).click();
    await page.waitForURL(`${panel.url}/licenses?plan=agency`);
    await page.getByRole('heading', { name: 'Licenses' }).waitFor();
    await page.getByRole('link', { name: 'Services' }).click();
    await page.getByRole('heading', { name: 'Plans' }).waitFor();
    expectNoFaults(visitor);
  });

  it('are seen by viewers without the plans', async () => {
    const person = await panel.newPerson('viewer', 'Vera');
    const visitor = await panel.open(person, '/services');
    await visitor.page.getByText('Remote management').waitFor();
    expect(await visitor.page.getByRole('heading', { name: 'Plans' }).count()).toBe(0);
    expectNoFaults(visitor);
  });

  it('may be none, and the page says so', async () => {
    const { page } = await panel.open(panel.owner, '/account');
    await page.route('**/api/v1/services', (route) =>
      route.fulfill({ json: { success: true, services: [] } }),
    );
    await page.goto(`${panel.url}/services`);
    await page.getByRole('heading', { name: 'The catalogue is empty' }).waitFor();
  });

  it('fit on a telephone, in the dark', async () => {
    const look = { width: 375, height: 700, scheme: 'dark' } as const;
    const visitor = await panel.open(panel.owner, '/services', look);
    const { page } = visitor;
    await page.getByRole('table', { name: 'Plans' }).waitFor();
    await expectAccessible(page, 'services, dark and narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    expectNoFaults(visitor);
  });
});
