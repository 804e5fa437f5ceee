import { SITE_STATUSES } from '@steward/contract';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { licenseDetails, NO_TAGS, SHOP, siteItem, sites } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';
import { siteIds, softwareDetails } from '../../../test/software-fixtures.ts';

const nameOf = (index: number) => `n${String(index).padStart(4, '0')}.example.com`;
const OPTION_HEIGHT_PX = 36;
/** A page of 100 sites, of a total beyond the counting limit. */
const page = (from: number, next_cursor: string | null = `after-${from}`) =>
  sites(
    Array.from({ length: 100 }, (_, index) =>
      siteItem({ id: from + index + 1, name: nameOf(from + index) }),
    ),
    { next_cursor, total: from === 0 ? { count: 1000, is_exact: false } : null },
  );

describe('the selection', () => {
  it('explains the maximum number of sites in one run', async () => {
    const others = Array.from({ length: 10_000 }, (_, index) => 1_000_000 + index);
    const { user, panel, click } = renderScreen('/sites', {
      responses: {
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
    await user.click(await screen.findByLabelText('Select the 100 loaded sites'));
    await click('Select all that match');
    await screen.findByText(/A run can include at most 10,000 sites/);
    expect(panel.requests('GET /panel/sites/ids').map(({ query }) => query)).toEqual([{}]);
    await user.click(screen.getByLabelText(`Select ${nameOf(0)}`));
    const bar = within(screen.getByRole('region', { name: 'Selected sites' }));
    bar.getByText('10,001 sites selected');
    bar.getAllByText('Select at most 10,000 sites.');
    const isDisabled = (name: string) => blockedReason(bar.getByRole('button', { name })) !== null;
    for (const name of ['Tag', 'Sync', 'Update sites']) expect(isDisabled(name)).toBe(true);
    await expectAccessible('too many sites selected');
    await user.click(screen.getByLabelText(`Select ${nameOf(0)}`));
    bar.getByText('10,000 sites selected');
    expect(isDisabled('Sync')).toBe(false);
  });
});

describe('the selection of all loaded sites', () => {
  it('extends to all that match when the counting limit is loaded', async () => {
    const loaded = Array.from({ length: 1000 }, (_, index) =>
      siteItem({ id: index + 1, name: nameOf(index) }),
    );
    const total = { count: 1000, is_exact: false };
    const { user, click } = renderScreen('/sites', {
      responses: {
        'GET /panel/sites': sites(loaded, { next_cursor: 'more', total }),
        'GET /panel/tags': NO_TAGS,
        'GET /panel/sites/ids': {
          success: true,
          site_ids: Array.from({ length: 1040 }, (_, index) => index + 1),
          is_complete: true,
          pending: { plugins: 0, themes: 0, core: 0 },
        },
      },
    });
    await user.click(await screen.findByLabelText('Select the 1000 loaded sites'));
    await click('Select all that match');
    await screen.findByText('1,040 sites selected');
  });
});

describe('a viewer', () => {
  it('selects no sites and connects none', async () => {
    renderScreen('/sites', {
      role: 'viewer',
      responses: { 'GET /panel/sites': sites([siteItem()]), 'GET /panel/tags': NO_TAGS },
    });
    await screen.findByRole('link', { name: 'shop.example.com' });
    expect(screen.queryByRole('checkbox')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Connect a site' })).toBeNull();
  });
});

describe('the filters', () => {
  it('suggest a shorter search when no site matches', async () => {
    renderScreen('/sites?search=nothing', {
      responses: { 'GET /panel/sites': sites([]), 'GET /panel/tags': NO_TAGS },
    });
    await screen.findByText('Try a shorter search or clear filters.');
  });

  it('show all statuses without scrolling', async () => {
    const { user } = renderScreen('/sites', {
      responses: { 'GET /panel/sites': sites([siteItem()]), 'GET /panel/tags': NO_TAGS },
    });
    await user.click(await screen.findByRole('combobox', { name: 'Status' }));
    const options = await screen.findAllByRole('option');
    expect(options).toHaveLength(SITE_STATUSES.length + 1);
    const scrollArea = options[0]?.closest<HTMLElement>('[style*="max-height"]');
    const maxHeightRem = Number(/[\d.]+(?=rem)/.exec(scrollArea?.style.maxHeight ?? '')?.[0]);
    expect(maxHeightRem * 16).toBeGreaterThan(options.length * OPTION_HEIGHT_PX);
  });

  it('name the license of the filter', async () => {
    const { click, address } = renderScreen('/sites?license_id=7', {
      responses: {
        'GET /panel/sites': sites([siteItem()]),
        'GET /panel/tags': NO_TAGS,
        'GET /panel/licenses/:id': licenseDetails({ id: 7 }),
      },
    });
    await screen.findByRole('button', { name: 'License: Agency …C38HP5' });
    await click('License: Agency …C38HP5');
    await waitFor(() => expect(address()).toBe('/sites'));
  });

  it.each([
    ['plugin', SHOP, { software_version: '5.2' }, 'Plugin: Shop 5.2'],
    ['plugin', SHOP, { software_outdated: 'true' }, 'Plugin: Shop, outdated'],
    ['theme', 'linen', {}, 'Theme: Shop'],
    ['core', 'core', { software_version: '6.8' }, 'Core: 6.8'],
  ])('name the %s of the filter', async (software_type, software, others, label) => {
    const filters = { software_type, software, ...others };
    const { click, panel, address } = renderScreen(`/sites?${new URLSearchParams(filters)}`, {
      responses: {
        'GET /panel/sites': sites([siteItem()]),
        'GET /panel/tags': NO_TAGS,
        'GET /panel/software/item': softwareDetails(),
      },
    });
    await screen.findByRole('button', { name: label });
    expect(panel.requests('GET /panel/sites')[0]?.query).toEqual({ ...filters, limit: '100' });
    await expectAccessible('sites with software');
    await click(label);
    await waitFor(() => expect(address()).toBe('/sites'));
  });

  it('show the slug of software that no site has anymore', async () => {
    renderScreen('/sites?software_type=plugin&software=gone/gone.php', {
      responses: {
        'GET /panel/sites': sites([]),
        'GET /panel/tags': NO_TAGS,
        'GET /panel/software/item': errorResponse('software_not_found'),
      },
    });
    await screen.findByRole('button', { name: 'Plugin: gone/gone.php' });
    await screen.findByRole('heading', { name: 'No site matches' });
  });

  it('apply to the selection of all matching sites', async () => {
    const filters = { software_type: 'plugin', software: SHOP };
    const { user, panel, click } = renderScreen(`/sites?${new URLSearchParams(filters)}`, {
      responses: {
        'GET /panel/sites': page(0),
        'GET /panel/tags': NO_TAGS,
        'GET /panel/software/item': softwareDetails(),
        'GET /panel/sites/ids': siteIds(1, 2, 3),
      },
    });
    await user.click(await screen.findByLabelText('Select the 100 loaded sites'));
    await click('Select all that match');
    await screen.findByText('3 sites selected');
    expect(panel.requests('GET /panel/sites/ids').map(({ query }) => query)).toEqual([filters]);
  });

  it('use the status words of the list', async () => {
    const { user } = renderScreen('/sites', {
      responses: {
        'GET /panel/sites': sites([siteItem({ status: 'stale' })]),
        'GET /panel/tags': NO_TAGS,
      },
    });
    await screen.findByText('no contact for 3+ days');
    await user.click(screen.getByRole('combobox', { name: 'Status' }));
    await screen.findByRole('option', { name: 'No contact for 3+ days' });
    await screen.findByRole('option', { name: 'Remote management off' });
  });
});

describe('a page that fails to load', () => {
  it('shows the error below the loaded rows, with a retry', async () => {
    const { panel, click } = renderScreen('/sites', {
      responses: {
        'GET /panel/sites': ({ query }) =>
          query.cursor === undefined
            ? page(0)
            : errorResponse('invalid_request', { error: 'Not this time.' }),
        'GET /panel/tags': NO_TAGS,
      },
    });
    await screen.findByLabelText('Select the 100 loaded sites');
    scrollTo(4000);
    await screen.findByText('Not this time.');
    screen.getByLabelText('Select the 100 loaded sites');
    const cursors = () => panel.requests('GET /panel/sites').map(({ query }) => query.cursor);
    // The table must not retry automatically: it would request the page without end.
    expect(cursors()).toEqual([undefined, 'after-0']);
    panel.setResponses({
      'GET /panel/sites': ({ query }) => (query.cursor === undefined ? page(0) : page(100, null)),
    });
    await click('Retry');
    await screen.findByLabelText('Select the 200 loaded sites');
    expect(cursors().slice(2)).toEqual(['after-0']);
    await waitFor(() => expect(screen.queryByText('Not this time.')).toBeNull());
  });
});

/** Fakes a scroll event: jsdom has no layout. */
function scrollTo(top: number): void {
  const place = (value: number) =>
    Object.defineProperty(window, 'scrollY', { value, configurable: true, writable: true });
  onTestFinished(() => void place(0));
  place(top);
  window.dispatchEvent(new Event('scroll'));
}

describe('the columns', () => {
  it('are chosen in a menu, stay in the address, and are those of the download', async () => {
    const { user, click, panel } = renderScreen('/sites?tag=vip&sort=status', {
      responses: { 'GET /panel/sites': sites([siteItem()]), 'GET /panel/tags': NO_TAGS },
    });
    const heads = () =>
      screen.getAllByRole('columnheader').flatMap(({ textContent }) => textContent || []);
    await click('Columns');
    const item = (name: string) => screen.findByRole('menuitemcheckbox', { name });
    expect((await item('PHP')).getAttribute('aria-checked')).toBe('true');
    await user.click(await item('PHP'));
    await user.click(await item('Last backup'));
    await waitFor(() => expect(heads()).toContain('Last backup'));
    expect(heads()).not.toContain('PHP');
    const link = screen.getByRole('link', { name: 'Download as CSV' });
    const address = new URL(link.getAttribute('href') ?? '', 'http://panel');
    expect(address.pathname).toBe('/panel/sites/export');
    expect(address.searchParams.get('tag')).toBe('vip');
    expect(address.searchParams.get('sort')).toBe('status');
    const columns = address.searchParams.get('columns')?.split(',');
    expect(columns).toContain('backup');
    expect(columns).not.toContain('php');
    await expectAccessible('the menu of columns');
    await user.click(await screen.findByRole('menuitem', { name: 'Show the usual columns' }));
    await waitFor(() => expect(heads()).toContain('PHP'));
    // The choice of columns is not a filter, and loads nothing.
    expect(panel.requests('GET /panel/sites').every(({ query }) => !('columns' in query))).toBe(
      true,
    );
  });
});
