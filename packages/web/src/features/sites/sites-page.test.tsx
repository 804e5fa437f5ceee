import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { refusal } from '../../../test/panel-answers.ts';
import { NO_TAGS, siteItem, sites } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

const nameOf = (index: number) => `n${String(index).padStart(4, '0')}.example.com`;
/** A page of 100 sites out of more than the panel counts. */
const page = (from: number, next_cursor: string | null = `after-${from}`) =>
  sites(
    Array.from({ length: 100 }, (_, index) =>
      siteItem({ id: from + index + 1, name: nameOf(from + index) }),
    ),
    { next_cursor, total: from === 0 ? { count: 1000, is_exact: false } : null },
  );

describe('selecting', () => {
  it('says how many one run takes when there are more', async () => {
    const others = Array.from({ length: 10_000 }, (_, index) => 1_000_000 + index);
    const { user, panel, click } = renderScreen('/sites', {
      answers: {
        'GET /panel/sites': page(0),
        'GET /panel/tags': NO_TAGS,
        'GET /panel/sites/ids': {
          success: true,
          site_ids: others,
          is_complete: false,
          pending: { plugins: 0, themes: 0, core: 0 },
        },
      },
    });
    await user.click(await screen.findByLabelText('Select the 100 sites loaded'));
    await click('Select all that match');
    await screen.findByText(/More than 10,000 sites match/);
    expect(panel.requests('GET /panel/sites/ids').map(({ query }) => query)).toEqual([{}]);
    await user.click(screen.getByLabelText(`Select ${nameOf(0)}`));
    const bar = within(screen.getByRole('region', { name: 'Selected sites' }));
    bar.getByText('10,001 sites selected');
    bar.getByText('10,000 at most at once: select fewer.');
    const isDisabled = (name: string) =>
      bar.getByRole<HTMLButtonElement>('button', { name }).disabled;
    for (const name of ['Tag', 'Sync', 'Update 10,001 sites']) expect(isDisabled(name)).toBe(true);
    await expectAccessible('too many sites selected');
    await user.click(screen.getByLabelText(`Select ${nameOf(0)}`));
    bar.getByText('10,000 sites selected');
    expect(isDisabled('Sync')).toBe(false);
  });
});

describe('a page that cannot be had', () => {
  it('is said below those that are there, and asked for again', async () => {
    const { panel, click } = renderScreen('/sites', {
      answers: {
        'GET /panel/sites': ({ query }) =>
          query.cursor === undefined
            ? page(0)
            : refusal('invalid_request', { error: 'Not this time.' }),
        'GET /panel/tags': NO_TAGS,
      },
    });
    await screen.findByLabelText('Select the 100 sites loaded');
    scrollTo(4000);
    await screen.findByText('Not this time.');
    screen.getByLabelText('Select the 100 sites loaded');
    const cursors = () => panel.requests('GET /panel/sites').map(({ query }) => query.cursor);
    // Not by itself: it would be asked for without end.
    expect(cursors()).toEqual([undefined, 'after-0']);
    panel.nowAnswers({
      'GET /panel/sites': ({ query }) => (query.cursor === undefined ? page(0) : page(100, null)),
    });
    await click('Retry');
    await screen.findByLabelText('Select the 200 sites loaded');
    expect(cursors().slice(2)).toEqual(['after-0']);
    await waitFor(() => expect(screen.queryByText('Not this time.')).toBeNull());
  });
});

/** As a reader does; nothing is laid out here that could be scrolled. */
function scrollTo(top: number): void {
  const place = (value: number) =>
    Object.defineProperty(window, 'scrollY', { value, configurable: true, writable: true });
  onTestFinished(() => void place(0));
  place(top);
  window.dispatchEvent(new Event('scroll'));
}
