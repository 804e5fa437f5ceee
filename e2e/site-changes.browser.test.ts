import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();
let fleet: Awaited<ReturnType<typeof panel.fleet>>;
let owner: Awaited<ReturnType<typeof panel.as>>;

beforeAll(async () => {
  fleet = await panel.fleet((await panel.license()).license_key);
  owner = await panel.as(panel.owner);
});

async function idOf(name: string): Promise<number> {
  return (await owner.get(`/panel/sites?search=${name}`)).body.sites[0].id;
}

describe('a site that another user changes', () => {
  it('keeps the tags that another user added', async () => {
    await fleet.add('shared');
    const id = await idOf('shared');
    const tagsNow = async () => (await owner.get(`/panel/sites/${id}`)).body.site.tags;
    const change = (tags: object) => owner.post('/panel/sites/tags', { site_ids: [id], ...tags });
    await change({ add: ['old'] });
    const visitor = await panel.open(panel.owner, `/sites/${id}`);
    const { page } = visitor;
    await page.getByText('old', { exact: true }).waitFor();

    await change({ add: ['theirs'] });
    await page.getByRole('combobox', { name: 'Tags' }).fill('mine');
    await page.keyboard.press('Enter');
    await page.getByText('theirs', { exact: true }).waitFor();
    expect(await tagsNow()).toEqual(['mine', 'old', 'theirs']);

    await change({ add: ['theirs too'] });
    await page.getByRole('combobox', { name: 'Tags' }).press('Backspace');
    await page.getByText('theirs too', { exact: true }).waitFor();
    expect(await tagsNow()).toHaveLength(3);
    expectNoFaults(visitor);
  });
});

describe('the history of a site', () => {
  it('loads older history', async () => {
    await fleet.add('old');
    const id = await idOf('old');
    for (let index = 0; index < 50; index++) {
      const change = index % 2 === 0 ? { add: ['x'] } : { remove: ['x'] };
      await owner.post('/panel/sites/tags', { site_ids: [id], ...change });
    }
    const { page } = await panel.open(panel.owner, `/sites/${id}`);
    const history = page.getByRole('list', { name: 'History' });
    await history.getByText('removed tags x').first().waitFor();
    expect(await history.getByText(/^The site activated license/).count()).toBe(0);
    await page.getByRole('button', { name: 'Load older history' }).click();
    await history.getByText(/^The site activated license/).waitFor();
  });
});

describe('a site that has never reported', () => {
  it('shows its inventory after a sync', async () => {
    const site = await fleet.connect('unsynced');
    const visitor = await panel.open(panel.owner, `/sites/${await idOf('unsynced')}`);
    const { page } = visitor;
    await page.getByRole('heading', { name: 'This site has not reported yet' }).waitFor();
    await expectAccessible(page, 'a site that has not reported');
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByRole('region', { name: 'Plugins' }).getByText(SHOP).first().waitFor();
    expect(site.calls).toContain('sync');
    expectNoFaults(visitor);
  });
});
