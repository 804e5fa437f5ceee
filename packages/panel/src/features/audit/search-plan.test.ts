import { describe, expect, it } from 'vitest';
import { planSearch } from './search-plan.ts';

const isBounded = (filter: Parameters<typeof planSearch>[0]) => planSearch(filter).scanned !== null;

describe('planSearch', () => {
  it.each([
    ['a site', { siteId: 7 }],
    ['an entity by type and id', { entityType: 'activation', entityId: '7' }],
    ['a rare action', { action: 'revoke' }],
    ['all records', {}],
  ])('uses an index for %s', (_, filter) => {
    expect(isBounded(filter)).toBe(false);
  });

  it.each([
    ['an entity id without a type', { entityId: '7' }],
    ['a frequent action', { action: 'update' }],
    ['a text', { siteId: 7, text: 'shop' }],
  ])('limits the scan for %s', (_, filter) => {
    expect(isBounded(filter)).toBe(true);
  });
});
