import { text } from 'node:stream/consumers';
import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();

const records = (page: Page) => page.getByRole('list', { name: 'Records' });
const record = (page: Page, text: string | RegExp) =>
  records(page).getByRole('button', { name: text });
const choose = async (page: Page, filter: string, option: string) => {
  await page.getByRole('combobox', { name: filter }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

/** A site that is updated, is then gone, and cannot be synced; and enough records for two pages. */
beforeAll(async () => {
  const { license_key } = await panel.license();
  const fleet = await panel.fleet(license_key);
  await fleet.add('shop');
  const owner = await panel.as(panel.owner);
  await owner.post('/remote/update', { site_ids: [1] });
  await fleet.add('blog');
  fleet.forget('blog');
  await owner.post('/panel/sites/sync', { site_ids: [2] });
  for (let turn = 0; turn < 25; turn++) {
    await owner.post('/panel/licenses/1/suspend', {});
    await owner.post('/panel/licenses/1/resume', {});
  }
});

describe('a record', () => {
  it('is one line in plain words, and opens to all that was recorded', async () => {
    const visitor = await panel.open(panel.owner, '/audit?site_id=1');
    const { page } = visitor;
    await record(page, /Olive updated 127\.0\.0\.1:\d+\/shop: 1 plugin succeeded/).click();
    await page.getByText('remote_update.update 1').waitFor();
    await page.getByText('"outcome": "succeeded"').waitFor();
    await record(page, /A site activated license 1 on .*\/shop/).waitFor();
    await expectAccessible(page, 'a record');
    await page.getByRole('link', { name: /\/shop/ }).click();
    await page.waitForURL(`${panel.url}/sites/1`);
    expectNoFaults(visitor);
  });

  it('says what failed, and why', async () => {
    const { page } = await panel.open(panel.owner, '/audit?entity_type=remote_site');
    await record(page, /Olive tried to sync .*\/blog failed/).click();
    await page.getByText('Reason', { exact: true }).waitFor();
    await record(page, /tried to sync/).click();
    await page.getByText('Reason', { exact: true }).waitFor({ state: 'detached' });
  });
});

describe('the filters', () => {
  it('stand in the address, hold after a reload and can be cleared', async () => {
    const visitor = await panel.signIn(panel.owner, '/audit');
    const { page } = visitor;
    await record(page, /Olive signed in/)
      .first()
      .waitFor();
    await choose(page, 'Who', 'System (sites, command line)');
    await choose(page, 'Kind of thing', 'Activations');
    await choose(page, 'Action', 'Activate');
    await record(page, /\/blog/).waitFor();
    await record(page, /signed in/)
      .first()
      .waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Site' }).fill('sho');
    await page.getByRole('option', { name: /\/shop/ }).click();
    await record(page, /\/blog/).waitFor({ state: 'detached' });
    expect(await records(page).getByRole('listitem').count()).toBe(1);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      actor: 'system',
      entity_type: 'activation',
      action: 'activate',
      site_id: '1',
    });

    await page.reload();
    await record(page, /A site activated license 1/).waitFor();
    expect(await records(page).getByRole('listitem').count()).toBe(1);
    await page.waitForFunction(
      'document.querySelector("input[placeholder=\\"Any site\\"]").value.endsWith("/shop")',
    );
    expect(await page.getByRole('combobox', { name: 'Action' }).inputValue()).toBe('Activate');

    // One by one, and then all that are left.
    await page.getByLabel('Clear site').click();
    await record(page, /\/blog/).waitFor();
    await page.getByLabel('Clear action').click();
    await page.getByLabel('Clear who').click();
    await page.waitForURL('**/audit?entity_type=activation');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await record(page, /Olive signed in/)
      .first()
      .waitFor();
    expect(new URL(page.url()).search).toBe('');
    expectNoFaults(visitor);
  });

  it('take a text and days, and say when nothing matches', async () => {
    const { page } = await panel.signIn(panel.owner, '/audit');
    await page.getByLabel('Text').fill('olive@example');
    await record(page, 'The command line added olive@example.com as owner').waitFor();
    await record(page, /signed in/)
      .first()
      .waitFor({ state: 'detached' });
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByLabel('To', { exact: true }).fill('2020-01-31');
    await page.getByText('No record matches these filters').waitFor();
    expect(new URL(page.url()).search).toBe('?text=olive%40example&from=2020-01-01&to=2020-01-31');
    await expectAccessible(page, 'nothing found');
    await page.getByLabel('To', { exact: true }).fill('2099-01-31');
    await record(page, /added olive@example\.com/).waitFor();
    await page.getByLabel('To', { exact: true }).fill('2020-01-31');
    const nothing = page.getByRole('main').getByText('Try other days, or fewer filters.');
    await nothing.waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await record(page, /Olive signed in/)
      .first()
      .waitFor();
    expect(new URL(page.url()).search).toBe('');
  });
});

describe('a log that was open before', () => {
  it('has what was done since, when one comes back to it', async () => {
    const visitor = await panel.open(panel.owner, '/audit');
    const { page } = visitor;
    const rail = page.getByRole('navigation', { name: 'Main' });
    await record(page, /Olive/).first().waitFor();
    await rail.getByRole('link', { name: 'Licenses' }).click();
    await page.getByRole('heading', { name: 'Licenses' }).waitFor();
    const owner = await panel.as(panel.owner);
    await owner.post('/panel/licenses/1/set-limit', { site_limit: 77 });
    await rail.getByRole('link', { name: 'Audit log' }).click();
    await record(page, /to 77 sites/).waitFor();
    expectNoFaults(visitor);
  });
});

describe('older records', () => {
  it('are loaded when asked for', async () => {
    const { page } = await panel.open(panel.owner, '/audit');
    await record(page, /suspended license 1/)
      .first()
      .waitFor();
    const first = await records(page).getByRole('listitem').count();
    expect(first).toBe(50);
    await page.getByRole('button', { name: 'Load older records' }).click();
    await record(page, /created license 1 of plan agency for 50 sites/).waitFor();
    expect(await records(page).getByRole('listitem').count()).toBeGreaterThan(50);
  });

  it('are looked for further when pages come empty, a few times by itself and then when asked', async () => {
    const visitor = await panel.open(panel.owner, '/account');
    const { page } = visitor;
    const { page: real } = await panel.open(panel.owner, '/account');
    const answer = await real.request.get(`${panel.url}/panel/audit?limit=1`);
    const found = await answer.json();
    // What a panel with millions of records answers: nothing yet, but there is more to look through.
    // A set: a page may be asked for again when the window gets the focus.
    const asked = new Set<string | null>();
    await page.route('**/panel/audit?*', async (route) => {
      const before = new URL(route.request().url()).searchParams.get('before');
      asked.add(before);
      const next_before = Number(before ?? 1000) - 1;
      const empty = { success: true, records: [], sites: [], next_before };
      await route.fulfill({ json: before === '994' ? { ...found, next_before: null } : empty });
    });
    await page.goto(`${panel.url}/audit?text=rare`);
    await page.getByText('Nothing in the newest records').waitFor();
    expect([...asked]).toEqual([null, '999', '998', '997', '996']);
    await page.getByRole('button', { name: 'Search older records' }).click();
    await record(page, /Olive/).waitFor();
    expect([...asked].slice(5)).toEqual(['995', '994']);
    expectNoFaults(visitor);
  });
});

describe('an export', () => {
  it('is a file of what the filters find', async () => {
    const { page } = await panel.open(panel.owner, '/audit?entity_type=license&action=create');
    const save = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name }).click(),
      ]);
      return {
        name: download.suggestedFilename(),
        text: await text(await download.createReadStream()),
      };
    };
    const csv = await save('Export CSV');
    expect(csv.name).toBe('audit-log.csv');
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(2);
    expect(csv.text).toContain(',create,license,1,');
    const jsonl = await save('Export JSONL');
    expect(jsonl.name).toBe('audit-log.jsonl');
    expect(JSON.parse(jsonl.text)).toMatchObject({ action: 'create', entity_type: 'license' });
  });
});

describe('the page', () => {
  it('is closed to managers, and says why', async () => {
    const person = await panel.newPerson('manager', 'Mona');
    const visitor = await panel.open(person, '/audit');
    await visitor.page.getByRole('heading', { name: 'This page is for owners' }).waitFor();
    await expectAccessible(visitor.page, 'closed');
    expectNoFaults(visitor);
  });

  it('says what went wrong, and tries again', async () => {
    const { page } = await panel.open(panel.owner, '/audit?from=yesterday');
    await page.getByRole('alert').getByText('from').waitFor();
    // The panel as it would answer if the first answer had been a slip.
    await page.route('**/panel/audit?*', async (route) => {
      const url = new URL(route.request().url());
      url.searchParams.delete('from');
      await route.fulfill({ response: await route.fetch({ url: url.href }) });
    });
    await page.getByRole('button', { name: 'Try again' }).click();
    await record(page, /Olive/).first().waitFor();
    await page.unroute('**/panel/audit?*');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL('**/audit');
    await record(page, /Olive/).first().waitFor();
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`fits on a telephone, in ${scheme} colours`, async () => {
      const visitor = await panel.open(panel.owner, '/audit', { width: 375, height: 700, scheme });
      const { page } = visitor;
      await record(page, /suspended/)
        .first()
        .click();
      await page.getByText('Recorded as').waitFor();
      await expectAccessible(page, `audit, narrow, ${scheme}`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
      expectNoFaults(visitor);
    });
  }
});
