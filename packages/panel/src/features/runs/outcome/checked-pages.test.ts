import type { BulkUpdateResponse, CheckedPages } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { resultFromBody } from './task-outcome.ts';

const all = { pages_planned: 17, pages_compared: 17 };
const some = { pages_planned: 17, pages_compared: 2, reason: 'this host is slow' };
const differences = [{ page: 'the home page', kind: 'text', percent: 34 }];

const updated = { slug: 'shop/shop.php', old_version: '1.0', new_version: '2.0', success: true };
const failed = { slug: 'blog/blog.php', new_version: '1.0', success: false, error: 'Broken.' };
type Item = BulkUpdateResponse['results']['plugins'][number];

const update = (plugins: Item[], checked?: CheckedPages) =>
  resultFromBody(200, {
    success: plugins.every(({ success }) => success),
    results: { plugins, themes: [], core: null },
    errors: [],
    ...(checked && { checked }),
  });

describe('the result of an update', () => {
  it('notes how many pages were compared', () => {
    expect(update([updated], all)).toMatchObject({
      ...{ status: 'succeeded', code: null, error: null, notes: ['17 pages compared.'] },
      ...{ pages_compared: 17, pages_planned: 17 },
    });
  });

  it('is unverified if pages could not be checked', () => {
    const result = update([{ ...updated, verified: false }], some);
    expect(result).toMatchObject({
      status: 'unverified',
      code: 'pages_not_checked',
      error: '2 of 17 pages could be checked, because this host is slow.',
      notes: [],
    });
    expect(update([updated], some)).toMatchObject({ code: 'pages_not_checked' });
  });

  it('is unverified if pages differ, also if the site calls the item verified', () => {
    for (const verified of [false, true]) {
      expect(update([{ ...updated, verified }], { ...some, differences })).toMatchObject({
        status: 'unverified',
        code: 'pages_differ',
        error: expect.stringMatching(
          /^The text of the home page is only 34 % the same as before\./,
        ),
        notes: ['2 of 17 pages could be checked, because this host is slow.'],
      });
    }
  });

  it('is unverified if an older plugin could not check its pages', () => {
    const result = update([{ ...updated, verified: false }]);
    expect(result).toMatchObject({ status: 'unverified', code: 'pages_not_checked' });
    expect(result.error).toContain('could not open its own pages');
    expect(result).not.toHaveProperty('pages_planned');
  });

  it('is unverified if the item is not verified although all pages were compared', () => {
    expect(update([{ ...updated, verified: false }], all)).toMatchObject({
      status: 'unverified',
      code: 'pages_not_checked',
    });
  });

  it('keeps the code if another item failed', () => {
    expect(update([updated, failed], { ...all, differences })).toMatchObject({
      status: 'partial',
      code: 'pages_differ',
      error: null,
    });
    expect(update([{ ...updated, verified: false }, failed], some)).toMatchObject({
      status: 'partial',
      code: 'pages_not_checked',
    });
    expect(update([failed], { ...all, differences })).toMatchObject({
      status: 'failed',
      code: null,
    });
  });
});

describe('the result of a plugin action', () => {
  const act = (verified: boolean, checked?: CheckedPages) =>
    resultFromBody(200, {
      success: true,
      ...{ action: 'update', plugin: 'shop/shop.php', verified, warnings: ['Save it again.'] },
      ...(checked && { checked }),
    });

  it('has the same codes and sentences', () => {
    expect(act(true, all)).toMatchObject({
      status: 'succeeded',
      notes: ['17 pages compared.', 'Save it again.'],
    });
    expect(act(false, some)).toMatchObject({
      status: 'unverified',
      code: 'pages_not_checked',
      notes: ['Save it again.'],
    });
    expect(act(false)).toMatchObject({ code: 'pages_not_checked' });
    expect(act(true, { ...all, differences })).toMatchObject({ code: 'pages_differ' });
  });
});
