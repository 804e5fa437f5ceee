import { text } from 'node:stream/consumers';
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

/** Creates an updated site and another site. */
beforeAll(async () => {
  const { license_key } = await panel.license();
  const fleet = await panel.fleet(license_key);
  await fleet.add('shop');
  const owner = await panel.as(panel.owner);
  await owner.post('/remote/update', { site_ids: [1] });
  await fleet.add('blog');
});

describe('audit record', () => {
  it('is one sentence and expands to all recorded data', async () => {
    const visitor = await panel.open(panel.owner, '/audit?site_id=1');
    const { page } = visitor;
    await record(
      page,
      /Olive updated 127\.0\.0\.1:\d+\/shop: shop\/shop\.php 1\.0 → 2\.0 Succeeded/,
    ).click();
    await page.getByText('remote_update.update 1').waitFor();
    await page.getByText('"outcome": "succeeded"').first().waitFor();
    await record(page, /A site activated license .* on .*\/shop/).waitFor();
    await page
      .locator('dl')
      .getByRole('link', { name: /\/shop$/ })
      .click();
    await page.waitForURL(`${panel.url}/sites/1`);
    expectNoFaults(visitor);
  });
});

describe('audit filters', () => {
  it('are in the URL, survive a reload and can be cleared', async () => {
    const visitor = await panel.signIn(panel.owner, '/audit');
    const { page } = visitor;
    await record(page, /Olive signed in/)
      .first()
      .waitFor();
    await choose(
      page,
      'Who',
      'No user (a site, the command line, Steward, an unauthenticated user)',
    );
    await choose(page, 'Type', 'Activations');
    await choose(page, 'Action', 'Activate');
    await record(page, /activated license .* on .*\/blog/).waitFor();
    await record(page, /signed in/)
      .first()
      .waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Site' }).fill('sho');
    await page.getByRole('option', { name: /\/shop/ }).click();
    await record(page, /\/blog/)
      .first()
      .waitFor({ state: 'detached' });
    await record(page, /confirmed the address/)
      .first()
      .waitFor({ state: 'detached' });
    expect(await records(page).getByRole('listitem').count()).toBe(1);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      actor: 'system',
      entity_type: 'activation',
      action: 'activate',
      site_id: '1',
    });

    await page.reload();
    await record(page, /A site activated license/).waitFor();
    expect(await records(page).getByRole('listitem').count()).toBe(1);
    await page.waitForFunction(
      'document.querySelector("input[placeholder=\\"Any site\\"]").value.endsWith("/shop")',
    );
    expect(await page.getByRole('combobox', { name: 'Action' }).inputValue()).toBe('Activate');

    // Clear filters one by one, then all remaining filters.
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
});

describe('audit export', () => {
  it('contains the filtered records', async () => {
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
