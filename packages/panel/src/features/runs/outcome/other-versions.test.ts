import type { BulkUpdateResponse } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import type { RunItem } from '../tables.ts';
import { resultFromBody } from './task-outcome.ts';

const SHOP = 'shop/shop.php';
const updated = { slug: SHOP, name: 'Shop', old_version: '1.0', success: true };

const respond = (results: Partial<BulkUpdateResponse['results']>): BulkUpdateResponse => ({
  success: true,
  results: { plugins: [], themes: [], core: null, ...results },
  errors: [],
});

function resultOf(new_version: string, version?: string) {
  const items: RunItem[] = [{ type: 'plugin', slug: SHOP, ...(version && { version }) }];
  return resultFromBody(200, respond({ plugins: [{ ...updated, new_version }] }), items);
}

describe('an update to another version than the call named', () => {
  it('is never successful, and is not verified', () => {
    const result = resultOf('2.0', '1.9');
    expect(result).toMatchObject({
      status: 'unverified',
      notes: ['The site installed version 2.0 of Shop, not version 1.9. Check the site.'],
      details: { results: { plugins: [{ slug: SHOP, verified: false }] } },
    });
  });

  it('is successful with another spelling, and without a named version', () => {
    for (const [installed, named] of [['2.0', '2.0'], ['2.0', '2.0.0'], [' 2.0', '2.0'], ['2.0']]) {
      expect(resultOf(installed ?? '', named)).toMatchObject({ status: 'succeeded', notes: [] });
    }
  });

  it('applies to themes and core too, and outweighs a failed item', () => {
    const body = respond({
      plugins: [{ ...updated, new_version: '1.0', success: false, code: 'php_too_old' }],
      themes: [{ slug: 'plain', new_version: '3.0', success: true }],
      core: { new_version: '6.2', success: true },
    });
    const items: RunItem[] = [
      { type: 'plugin', slug: SHOP, version: '2.0' },
      { type: 'theme', slug: 'plain', version: '2.0' },
      { type: 'core', slug: 'core', version: '6.1' },
    ];
    const result = resultFromBody(200, body, items);
    expect([result.status, result.notes?.length]).toEqual(['unverified', 2]);
    expect(result.details?.results).toMatchObject({
      plugins: [{ code: 'php_too_old' }],
      themes: [{ verified: false }],
      core: { verified: false },
    });
  });
});
