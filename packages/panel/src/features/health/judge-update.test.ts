import { describe, expect, it } from 'vitest';
import { findError, isTroubled, judgeItems, type UpdateEvidence } from './judge-update.ts';

const BROKEN = { slug: 'shop/shop.php', success: false, error: 'Rolled back.' };
const REFUSED = { slug: 'blog/blog.php', success: false, code: 'php_too_old', error: 'Too old.' };
const UNVERIFIED = { slug: 'cart/cart.php', success: true, verified: false };
const SHOP = { type: 'plugin', slug: 'shop/shop.php', version: '2.0' } as const;
const BLOG = { type: 'plugin', slug: 'blog/blog.php', version: '2.0' } as const;
const CART = { type: 'plugin', slug: 'cart/cart.php', version: '2.0' } as const;
const CORE = { type: 'core', slug: 'core', version: '7.0' } as const;

const UNCHECKED: Partial<UpdateEvidence> = {
  status: 'unverified',
  code: 'pages_not_checked',
  failures: [UNVERIFIED],
};

const task = (change: Partial<UpdateEvidence>): UpdateEvidence => ({
  ...{
    status: 'succeeded',
    code: null,
    is_finished: true,
    works_worse: false,
    failures: [],
    troubled_items: [],
  },
  ...change,
});

describe('a site is troubled', () => {
  it.each<[string, Partial<UpdateEvidence>]>([
    [
      'an item failed after the site had started to change it',
      { status: 'failed', failures: [BROKEN] },
    ],
    ['one of several items failed so', { status: 'partial', failures: [REFUSED, BROKEN] }],
    ['the update is not verified', { status: 'unverified', failures: [UNVERIFIED] }],
    [
      'a page differs from before',
      { status: 'unverified', code: 'pages_differ', failures: [UNVERIFIED] },
    ],
    [
      'a page differs, although it refused an item',
      { status: 'partial', code: 'pages_differ', failures: [REFUSED] },
    ],
    ['it works worse, although pages could not be checked', { ...UNCHECKED, works_worse: true }],
    [
      'its real requests fail, although pages could not be checked',
      { ...UNCHECKED, troubled_items: [CART] },
    ],
    ['the effect of the task is not known', { status: 'unknown' }],
    ['a check found it worse than before', { works_worse: true }],
    ['its real requests fail because of an item', { troubled_items: [SHOP] }],
    [
      'it works worse, although it refused an item',
      { status: 'partial', works_worse: true, failures: [REFUSED] },
    ],
  ])('if %s', (_, change) => expect(isTroubled(task(change))).toBe(true));
});

describe('a site is not troubled', () => {
  it.each<[string, Partial<UpdateEvidence>]>([
    ['the update succeeded', {}],
    ['pages could not be checked', UNCHECKED],
    ['the site refused all items', { status: 'failed', failures: [REFUSED] }],
    [
      'the code of a refusal is empty',
      { status: 'failed', failures: [{ ...REFUSED, code: null }] },
    ],
    ['the site could not be called', { status: 'failed' }],
    ['the panel refused the task', { status: 'refused' }],
    ['the task was cancelled', { status: 'cancelled' }],
    ['the task runs', { status: 'running', is_finished: false }],
    ['a lost call is still reconciled', { status: 'unknown', is_finished: false }],
  ])('if %s', (_, change) => expect(isTroubled(task(change))).toBe(false));
});

describe('the suspects of a trouble', () => {
  const items = [SHOP, BLOG, CART, CORE];
  it.each([
    ['the failed items', [BROKEN, REFUSED], false, [SHOP]],
    ['the items that were not verified', [BROKEN, UNVERIFIED], false, [SHOP, CART]],
    ['core, which has no slug', [{ success: false, error: 'No space left.' }], false, [CORE]],
    ['all items that the site tried, if none failed', [REFUSED], false, [SHOP, CART, CORE]],
    [
      'all items that the site tried, if it works worse',
      [BROKEN, REFUSED],
      true,
      [SHOP, CART, CORE],
    ],
  ])('are %s', (_, failures, works_worse, expected) => {
    const evidence = { code: null, works_worse, failures, troubled_items: [] };
    const suspects = judgeItems(evidence, items).filter((each) => each.isSuspect);
    expect(suspects.map(({ item }) => item)).toEqual(expected);
  });

  it('have a state each', () => {
    const failures = [BROKEN, REFUSED, UNVERIFIED];
    const evidence = { code: null, works_worse: false, failures, troubled_items: [] };
    expect(judgeItems(evidence, items).map(({ state }) => state)).toEqual([
      'failed',
      'refused',
      'unverified',
      'verified',
    ]);
  });

  it('are only the items that fail on real requests, if no other item failed', () => {
    const evidence = {
      ...{ code: null, works_worse: false, failures: [REFUSED] },
      troubled_items: [CART],
    };
    const suspects = judgeItems(evidence, items).filter((each) => each.isSuspect);
    expect(suspects).toEqual([{ item: CART, state: 'troubled', isSuspect: true }]);
  });

  it('are not the items whose pages could not be checked, unless the site works worse', () => {
    const code = 'pages_not_checked';
    const failures = [BROKEN, UNVERIFIED];
    const suspectsOf = (more: object) =>
      judgeItems({ code, works_worse: false, failures, troubled_items: [], ...more }, items)
        .filter(({ isSuspect }) => isSuspect)
        .map(({ item }) => item);
    expect(suspectsOf({})).toEqual([SHOP]);
    expect(suspectsOf({ failures: [UNVERIFIED], troubled_items: [CART] })).toEqual([CART]);
    expect(suspectsOf({ failures: [UNVERIFIED], troubled_items: [SHOP] })).toEqual([SHOP]);
    expect(suspectsOf({ failures: [UNVERIFIED], works_worse: true })).toEqual(items);
  });

  it('have the first error that is no refusal', () => {
    expect(findError([REFUSED, { ...BROKEN, error: 'Timeout.' }, BROKEN])).toBe('Rolled back.');
    expect(findError([REFUSED, UNVERIFIED])).toBeNull();
  });
});
