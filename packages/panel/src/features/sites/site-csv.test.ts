import type { SiteItem } from '@steward/contract';
import { expect, it } from 'vitest';
import { createSiteCsv } from './site-csv.ts';

const site = {
  id: 7,
  name: 'shop.example',
  url: 'https://shop.example',
  environment: 'production',
  php_version: 'node-24.1.0',
  reachability_days: 'nnuud',
  client: null,
  tags: ['vip', 'shop'],
} as unknown as SiteItem;

it('has the chosen columns in the order of the list', () => {
  const { header, toCells } = createSiteCsv(['name', 'php', 'uptime', 'client', 'tags'], {
    hasItem: false,
  });
  expect(header.join()).toBe(
    'id,site,url,environment,php_version,days_down,days_checked,client,tags',
  );
  expect(toCells(site)).toEqual([
    ...['7', 'shop.example', 'https://shop.example', 'production'],
    ...['', '1', '3', '', 'vip, shop'],
  ]);
});

it('has the columns of an item only in the list of its sites', () => {
  expect(createSiteCsv(null, { hasItem: true }).header).toContain('installed_version');
  expect(createSiteCsv(null, { hasItem: false }).header).not.toContain('installed_version');
  expect(createSiteCsv(['version'], { hasItem: false }).header).toEqual([]);
});
