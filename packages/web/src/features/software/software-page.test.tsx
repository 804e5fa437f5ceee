import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { renderScreen } from '../../../test/render-screen.tsx';
import { softwareItem, softwarePage } from '../../../test/software-fixtures.ts';

const forms = softwareItem({
  slug: 'forms/forms.php',
  name: 'Forms',
  sites: 9,
  active_sites: 0,
  outdated_sites: 0,
  newest_version: '2.1',
  versions: [{ version: '2.0', sites: 7 }],
  other_versions: 2,
});
const QUARANTINED = {
  version: '5.3',
  hold: {
    reason: 'quarantined',
    quarantine_id: 4,
    explanation: 'Held: this version is quarantined.',
  },
} as const;
const cellsOf = (row: HTMLElement) =>
  within(row)
    .getAllByRole('cell')
    .map((cell) => cell.textContent);

describe('the list of plugins', () => {
  it('shows sites, versions in use and outdated sites', async () => {
    const { panel } = renderScreen('/software', {
      responses: {
        'GET /panel/software': softwarePage([softwareItem({ holds: [QUARANTINED] }), forms]),
      },
    });
    const link = await screen.findByRole('link', { name: 'Shop' });
    expect(link.getAttribute('href')).toBe('/software/item?type=plugin&slug=shop%2Fshop.php');
    screen.getByText('2 plugins');
    const [, shop, other] = screen.getAllByRole('row');
    if (!shop || !other) throw new Error('The table has no rows.');
    expect(cellsOf(shop).slice(1)).toEqual(['38', '30', '2 versions', '8', '5.3']);
    expect(cellsOf(other).slice(1)).toEqual(['9', 'none', '3 versions', 'none', '2.1']);
    within(shop).getByText('shop/shop.php');
    within(shop).getByText('5.3: quarantined');
    within(shop).getByRole('img', { name: '5.3 on 30 sites, 5.2 on 8 sites' });
    within(other).getByRole('img', { name: '2.0 on 7 sites, 2 other versions on 2 sites' });
    expect(panel.requests('GET /panel/software').map(({ query }) => query)).toEqual([
      { type: 'plugin' },
    ]);
    await expectAccessible('plugins');
  });

  it('is in the rail between the clients and the runs', async () => {
    renderScreen('/software', {
      role: 'viewer',
      responses: { 'GET /panel/software': softwarePage([softwareItem()]) },
    });
    const rail = within(await screen.findByRole('navigation', { name: 'Main' }));
    const names = rail.getAllByRole('link').map((link) => link.getAttribute('aria-label'));
    expect(names.slice(0, 5)).toEqual(['Overview', 'Sites', 'Clients', 'Software', 'Runs']);
  });

  it('sorts by the head of a column', async () => {
    const { panel, click, address } = renderScreen('/software', {
      responses: { 'GET /panel/software': softwarePage([softwareItem()]) },
    });
    const sortOf = (name: string) =>
      screen.getByRole('columnheader', { name }).getAttribute('aria-sort');
    await screen.findByRole('link', { name: 'Shop' });
    expect(sortOf('Name')).toBe('ascending');
    await click('Outdated');
    await waitFor(() => expect(sortOf('Outdated')).toBe('descending'));
    expect(sortOf('Name')).toBeNull();
    expect(address()).toBe('/software?sort=outdated&direction=desc');
    await click('Outdated');
    await waitFor(() => expect(sortOf('Outdated')).toBe('ascending'));
    expect(panel.requests('GET /panel/software').at(-1)?.query).toEqual({
      type: 'plugin',
      sort: 'outdated',
      direction: 'asc',
    });
  });

  it('filters, and clears the filters when nothing matches', async () => {
    const { user, panel, click, fill, address } = renderScreen('/software', {
      responses: {
        'GET /panel/software': ({ query }) =>
          softwarePage(query.search || query.filter ? [] : [softwareItem()]),
      },
    });
    await screen.findByRole('link', { name: 'Shop' });
    await user.click(screen.getByRole('combobox', { name: 'Filter' }));
    await user.click(await screen.findByRole('option', { name: 'Not active on any site' }));
    await screen.findByRole('heading', { name: 'No plugin matches' });
    await fill(screen.getByRole('searchbox', { name: 'Search plugins' }), 'zz');
    await waitFor(() => expect(address()).toBe('/software?filter=inactive&search=zz'));
    await waitFor(() =>
      expect(panel.requests('GET /panel/software').at(-1)?.query).toEqual({
        type: 'plugin',
        search: 'zz',
        filter: 'inactive',
      }),
    );
    await expectAccessible('no plugin matches');
    await click('Clear filters');
    await screen.findByRole('link', { name: 'Shop' });
    expect(address()).toBe('/software');
  });

  it('loads more plugins, and retries after an error', async () => {
    const { panel, click } = renderScreen('/software', {
      responses: {
        'GET /panel/software': ({ query }) =>
          query.cursor === undefined
            ? softwarePage([softwareItem()], { next_cursor: 'after-1' })
            : errorResponse('invalid_request', { error: 'Not this time.' }),
      },
    });
    await screen.findByRole('link', { name: 'Shop' });
    await click('Show more plugins');
    await screen.findByText('Not this time.');
    screen.getByRole('link', { name: 'Shop' });
    panel.setResponses({
      'GET /panel/software': ({ query }) =>
        query.cursor === undefined
          ? softwarePage([softwareItem()], { next_cursor: 'after-1' })
          : softwarePage([forms], { total: null }),
    });
    await click('Retry');
    await screen.findByRole('link', { name: 'Forms' });
    expect(screen.queryByRole('button', { name: 'Show more plugins' })).toBeNull();
  });

  it('shows why it failed to load', async () => {
    renderScreen('/software', {
      responses: {
        'GET /panel/software': errorResponse('invalid_request', { error: 'Not this time.' }),
      },
    });
    const alert = within(await screen.findByRole('alert'));
    alert.getByText('Not this time.');
    alert.getByRole('button', { name: 'Retry' });
  });

  it('explains when plugins appear', async () => {
    renderScreen('/software', { responses: { 'GET /panel/software': softwarePage([]) } });
    await screen.findByRole('heading', { name: 'No plugins yet' });
    screen.getByText(/appear here after a site has reported them/);
    screen.getByRole('link', { name: 'Go to the sites' });
  });
});

describe('the tabs', () => {
  const theme = softwareItem({ type: 'theme', slug: 'linen', name: 'linen' });
  const core = softwareItem({ type: 'core', slug: 'core', name: 'Core' });
  const responses = {
    'GET /panel/software': ({ query }: { query: Record<string, string> }) =>
      softwarePage([
        query.type === 'theme' ? theme : query.type === 'core' ? core : softwareItem(),
      ]),
  };

  it('switch between plugins, themes and core, and keep the filter', async () => {
    const { user, panel, address } = renderScreen('/software?filter=outdated', { responses });
    await screen.findByText('1 plugin matches');
    await user.click(screen.getByRole('tab', { name: 'Themes' }));
    await screen.findByRole('link', { name: 'linen' });
    expect(screen.queryByRole('link', { name: 'Shop' })).toBeNull();
    screen.getByText('1 theme matches');
    await user.click(screen.getByRole('tab', { name: 'Core' }));
    await screen.findByRole('link', { name: 'Core' });
    expect(address()).toBe('/software?filter=outdated&type=core');
    expect(panel.requests('GET /panel/software').map(({ query }) => query)).toEqual([
      { type: 'plugin', filter: 'outdated' },
      { type: 'theme', filter: 'outdated' },
      { type: 'core' },
    ]);
    // There is only one core: nothing to search or sort.
    expect(screen.queryByRole('searchbox')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Sites' })).toBeNull();
    await expectAccessible('core');
  });

  it('open from a link, and ignore unknown values in it', async () => {
    const { panel } = renderScreen('/software?type=theme&filter=odd&sort=odd', { responses });
    await screen.findByRole('link', { name: 'linen' });
    expect(screen.getByRole('tab', { name: 'Themes' }).getAttribute('aria-selected')).toBe('true');
    expect(panel.requests('GET /panel/software')[0]?.query).toEqual({ type: 'theme' });
  });
});
