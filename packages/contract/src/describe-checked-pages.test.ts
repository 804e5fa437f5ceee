import { describe, expect, it } from 'vitest';
import { describeCheckedPages } from './describe-checked-pages.ts';

const all = { pages_planned: 17, pages_compared: 17 };
const some = { pages_planned: 17, pages_compared: 2 };

describe('describeCheckedPages', () => {
  it('states how many pages were compared', () => {
    expect(describeCheckedPages(all)).toEqual({ code: null, sentences: ['17 pages compared.'] });
    expect(describeCheckedPages({ pages_planned: 1, pages_compared: 1 }).sentences).toEqual([
      '1 page compared.',
    ]);
    expect(describeCheckedPages({ pages_planned: 0, pages_compared: 0 }).sentences).toEqual([]);
  });

  it('gives the reason why pages could not be checked', () => {
    const reason = 'this host answers one request at a time';
    expect(describeCheckedPages({ ...some, reason })).toEqual({
      code: 'pages_not_checked',
      sentences: [
        '2 of 17 pages could be checked, because this host answers one request at a time.',
      ],
    });
    expect(describeCheckedPages({ ...some, reason: `${reason}. ` }).sentences[0]).toMatch(
      /time\.$/,
    );
    expect(describeCheckedPages(some).sentences).toEqual(['2 of 17 pages could be checked.']);
  });

  it('names the page, the difference and the next step', () => {
    const text = { page: 'the home page', kind: 'text', percent: 34 };
    expect(describeCheckedPages({ ...all, differences: [text] })).toEqual({
      code: 'pages_differ',
      sentences: [
        'The text of the home page is only 34 % the same as before. Open the page and check it.',
        '17 pages compared.',
      ],
    });
  });

  it('puts a difference before what could not be checked, and notes last', () => {
    const differences = [
      { page: '', kind: 'plugin_inactive', detail: 'shop/shop.php' },
      { page: 'the page /cart/', kind: 'output_empty', detail: 'shop/cart' },
    ];
    const notes = [{ page: 'the home page', kind: 'title' }];
    expect(describeCheckedPages({ ...some, differences, notes }).sentences).toEqual([
      'The plugin shop/shop.php is no longer active. Activate it again, or restore the previous version.',
      'The block or shortcode shop/cart on the page /cart/ shows nothing any more.',
      '2 of 17 pages could be checked.',
      'The home page has another title than before.',
    ]);
  });

  it('does not count notes as differences', () => {
    const notes = [{ page: 'the newest post', kind: 'heading' }];
    expect(describeCheckedPages({ ...all, notes })).toEqual({
      code: null,
      sentences: ['17 pages compared.', 'The newest post has another first heading than before.'],
    });
  });

  it.each([
    [{ kind: 'text' }, 'The text of the page /a/ differs from before.'],
    [{ kind: 'address' }, 'The page /a/ now leads to another address.'],
    [
      { kind: 'address', detail: 'https://a.example/b/' },
      'The page /a/ now leads to https://a.example/b/.',
    ],
    [{ kind: 'status', detail: '404' }, 'The page /a/ now responds with HTTP status 404.'],
    [{ kind: 'error' }, 'The page /a/ shows an error.'],
    [{ kind: 'incomplete' }, 'The page /a/ ends before its closing tag.'],
    [{ kind: 'part_empty', detail: 'main' }, 'A part of the page /a/ is empty now: main.'],
    [
      { kind: 'entries', detail: '1200' },
      'Published posts or pages of the site are gone or empty: 1,200.',
    ],
    [
      { kind: 'incomplete', page: 'the feed', detail: 'BOM' },
      'The feed is unreadable: it begins with “BOM”.',
    ],
    [
      { kind: 'entries', detail: 'many' },
      'Published posts or pages of the site are gone or empty.',
    ],
    [{ kind: 'theme' }, 'Another theme is active than before.'],
    [{ kind: 'colour' }, 'The page /a/ differs from before the change.'],
    [{ kind: 'colour', detail: 'red' }, 'The page /a/ differs from before the change: red.'],
  ])('describes %j', (difference, sentence) => {
    const notes = [{ page: 'the page /a/', ...difference }];
    expect(describeCheckedPages({ ...all, notes }).sentences[1]).toBe(sentence);
  });

  it('states how many pages the panel checked if it does not know how many there are', () => {
    const reason = 'the site cannot open its own pages';
    expect(describeCheckedPages({ pages_planned: null, pages_compared: 2, reason })).toEqual({
      code: 'pages_not_checked',
      sentences: [
        '2 pages could be checked from outside, because the site cannot open its own pages.',
      ],
    });
  });

  it('describes an unknown difference of the whole site', () => {
    const differences = [{ page: '', kind: 'colour' }];
    expect(describeCheckedPages({ ...all, differences }).sentences[0]).toBe(
      'The site differs from before the change. Open the site and check it.',
    );
  });
});
