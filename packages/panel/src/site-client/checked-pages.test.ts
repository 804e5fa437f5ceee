import { SERVICE_KEY } from '@steward/testkit/sites/fake-sites.ts';
import { describe, expect, it } from 'vitest';
import { readCheckedPages, readOutsideCheck } from './checked-pages.ts';
import { readBulkUpdate, readPluginAction } from './responses.ts';

const checked = { pages_planned: 17, pages_compared: 17 };
const difference = { page: 'the home page', kind: 'text', percent: 34 };

describe('readCheckedPages', () => {
  it('keeps known fields and cleans texts', () => {
    const given = {
      ...checked,
      reason: `<b>The key</b> is ${SERVICE_KEY}`,
      differences: [{ ...difference, detail: '<i>shop</i>', text: 'The page' }],
      html: '<html>',
    };
    expect(readCheckedPages(given, SERVICE_KEY)).toEqual({
      ...checked,
      reason: 'The key is [key]',
      differences: [{ ...difference, detail: 'shop' }],
    });
  });

  it('accepts kinds that it does not know', () => {
    const notes = [{ page: '', kind: 'colour' }];
    expect(readCheckedPages({ ...checked, notes }, '')).toEqual({ ...checked, notes });
  });

  it('counts no more pages than the site planned', () => {
    expect(readCheckedPages({ ...checked, pages_compared: 99 }, '')).toEqual(checked);
  });

  it('cuts long texts and lists', () => {
    const page = `the page /${'a'.repeat(500)}/`;
    const given = {
      ...checked,
      reason: 'a'.repeat(1000),
      differences: Array.from({ length: 30 }, () => ({ ...difference, page })),
    };
    const { reason, differences } = readCheckedPages(given, '') ?? {};
    expect([reason?.length, differences?.length]).toEqual([expect.any(Number), 20]);
    expect(differences?.[0]).toMatchObject({ kind: 'text', percent: 34 });
    expect(differences?.[0]?.page).toMatch(/^the page \/a+…$/);
  });

  it.each([
    null,
    'all',
    {},
    { ...checked, pages_planned: -1 },
    { ...checked, differences: [{ kind: 'text' }] },
    { ...checked, differences: [{ ...difference, percent: 101 }] },
    { ...checked, notes: 'none' },
    { ...checked, reason: 7 },
  ])('refuses %j', (given) => expect(readCheckedPages(given, '')).toBeUndefined());
});

describe('a response with malformed checked pages', () => {
  const pages = { pages_planned: 'all' };

  it('keeps the results of an update', () => {
    const body = {
      success: true,
      results: { plugins: [], themes: [], core: null },
      errors: [],
    };
    expect(readBulkUpdate({ ...body, checked: pages }, '')).toEqual(body);
    expect(readBulkUpdate({ ...body, checked }, '')).toEqual({ ...body, checked });
  });

  it('keeps the result of a plugin action', () => {
    const request = { action: 'activate', plugin: 'shop/shop.php' } as const;
    const body = { success: true, ...request };
    const read = readPluginAction(request);
    expect(read({ ...body, checked: pages }, '')).toEqual(body);
    expect(read({ ...body, checked }, '')).toEqual({ ...body, checked });
  });
});

describe('readOutsideCheck', () => {
  const login = { page: 'login', path: '/wp-login.php' };

  it('reads the pages, their number and the reason', () => {
    const given = { pages: [login], pages_planned: 17, reason: 'it has <b>one</b> process' };
    expect(readOutsideCheck({ code: 'outside_look_needed', ...given }, '')).toEqual({
      ...given,
      reason: 'it has one process',
    });
  });

  it('leaves out malformed fields', () => {
    const given = { pages: [{ page: 'cart', path: '/cart/' }], pages_planned: '9', reason: 'slow' };
    expect(readOutsideCheck(given, '')).toEqual({ reason: 'slow' });
  });

  it.each(['//evil.example/', '/../other/', '/wp-login.php?action=logout', '/\\evil.example/'])(
    'leaves out the page %s',
    (path) => {
      const pages = [{ page: 'post', path }, login];
      expect(readOutsideCheck({ pages }, '')).toEqual({ pages: [login] });
    },
  );
});
