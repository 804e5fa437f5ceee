import { describe, expect, it } from 'vitest';
import { planSearch } from './search-plan.ts';

const isBounded = (filter: Parameters<typeof planSearch>[0]) => planSearch(filter).scanned !== null;

describe('a search of the audit log', () => {
  it.each([
    ['a site', { siteId: 7 }],
    ['a thing by its kind and id', { entityType: 'activation', entityId: '7' }],
    ['a rare action', { action: 'revoke' }],
    ['everything', {}],
  ])('goes by an index for %s', (_, filter) => {
    expect(isBounded(filter)).toBe(false);
  });

  it.each([
    ['an id alone, which may be that of anything', { entityId: '7' }],
    ['what most records are', { action: 'update' }],
    ['words', { siteId: 7, text: 'shop' }],
  ])('looks through so many records at a time for %s', (_, filter) => {
    expect(isBounded(filter)).toBe(true);
  });
});
