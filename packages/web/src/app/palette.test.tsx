import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../test/axe.ts';
import { clientItem, clients } from '../../test/client-fixtures.ts';
import {
  licenseSummary,
  licenses,
  NEVER_CHECKED,
  NO_HISTORY,
  NO_TAGS,
  overviewOfOne,
  panelSettings,
  secondFactors,
  siteDetails,
  siteItem,
  sites,
  userSummary,
  users,
} from '../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../test/render-screen.tsx';
import { softwareDetails, softwareItem, softwarePage } from '../../test/software-fixtures.ts';

const LABEL = 'Find a site, client, software, tag, license, user, run, setting or page';

describe('palette', () => {
  it('lists pages, sites, licenses and actions in groups', async () => {
    const { user, panel, click, fill, address } = renderScreen('/', {
      responses: {
        'GET /panel/overview': overviewOfOne(),
        'GET /panel/sites': ({ query }) => sites(query.search === 'sho' ? [siteItem()] : []),
        'GET /panel/software': softwarePage([]),
        'GET /panel/licenses': ({ query }) =>
          licenses(...(query.search === 'age' ? [licenseSummary()] : [])),
        'GET /panel/sites/:id': siteDetails(),
        'GET /panel/sites/:id/reachability': NEVER_CHECKED,
        'GET /panel/sites/:id/history': NO_HISTORY,
        'GET /panel/tags': NO_TAGS,
        'GET /panel/users': users(),
      },
    });
    await screen.findByRole('link', { name: 'Pending updates on 1 site' });
    await click(/^Search/);
    const dialog = within(await findDialog());
    await dialog.findByRole('button', { name: 'Overview' });
    await expectAccessible('palette');
    await fill(dialog.getByLabelText(LABEL), 'age');
    await dialog.findByRole('button', { name: 'Agency …C38HP5' });
    await fill(dialog.getByLabelText(LABEL), 'sho');
    await user.click(await dialog.findByRole('button', { name: 'shop.example.com' }));
    await screen.findByRole('heading', { name: 'shop.example.com' });
    expect(address()).toBe('/sites/1');
    expect(panel.requests('GET /panel/sites').at(-1)?.query).toEqual({ search: 'sho', limit: '6' });

    await expectDialogClosed();
    await user.keyboard('{Control>}k{/Control}');
    await fill(within(await findDialog()).getByLabelText(LABEL), 'zzz');
    await screen.findByText('No results');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByLabelText(LABEL)).toBeNull());
  });

  it('finds plugins, themes and core', async () => {
    const { user, panel, click, fill, address } = renderScreen('/', {
      role: 'viewer',
      responses: {
        'GET /panel/overview': overviewOfOne({ expiring_licenses: null }),
        'GET /panel/sites': sites([]),
        'GET /panel/software': softwarePage([
          softwareItem(),
          softwareItem({ type: 'theme', slug: 'shopfront', name: 'Shopfront' }),
        ]),
        'GET /panel/software/item': softwareDetails(),
        'GET /panel/tags': NO_TAGS,
      },
    });
    await screen.findByRole('link', { name: 'Pending updates on 1 site' });
    await click(/^Search/);
    const dialog = within(await findDialog());
    await fill(dialog.getByLabelText(LABEL), 'shop');
    await dialog.findByRole('button', { name: /^Shopfront\s*Theme$/ });
    await expectAccessible('palette with software');
    await user.click(dialog.getByRole('button', { name: /^Shop\s*Plugin$/ }));
    await screen.findByRole('heading', { name: 'Shop' });
    expect(address()).toBe('/software/item?type=plugin&slug=shop%2Fshop.php');
    expect(panel.requests('GET /panel/software').map(({ query }) => query)).toEqual([
      { search: 'shop', limit: '5' },
    ]);
  });

  const TAGS = { success: true as const, tags: [{ name: 'mona-lisa', sites: 3 }] };
  const nothingElse = {
    'GET /panel/sites': sites([]),
    'GET /panel/software': softwarePage([]),
    'GET /panel/tags': TAGS,
  };

  it('finds users by name and e-mail, and tags', async () => {
    const { user, fill, address } = renderScreen('/', {
      responses: {
        ...nothingElse,
        'GET /panel/overview': overviewOfOne(),
        'GET /panel/licenses': licenses(),
        'GET /panel/users': users(
          userSummary(),
          userSummary({ id: 2, name: 'Mona', email: 'art@example.com', role: 'manager' }),
        ),
        'GET /panel/users/:id/access': {
          success: true,
          access: { sites: [], licenses: [], tags: [], clients: [] },
        },
        'GET /panel/settings': panelSettings(),
      },
    });
    await screen.findByRole('link', { name: 'Pending updates on 1 site' });
    await user.keyboard('{Control>}k{/Control}');
    const field = within(await findDialog()).getByLabelText(LABEL);
    await fill(field, 'ART@');
    await screen.findByRole('button', { name: /^Mona\s*art@example\.com$/ });
    await fill(field, 'mona');
    await user.click(await screen.findByRole('button', { name: /^mona-lisa\s*3 sites$/ }));
    await waitFor(() => expect(address()).toBe('/sites?tag=mona-lisa'));

    await expectDialogClosed();
    await user.keyboard('{Control>}k{/Control}');
    await fill(within(await findDialog()).getByLabelText(LABEL), 'mona');
    await user.click(await screen.findByRole('button', { name: /^Mona\s*art@example\.com$/ }));
    await waitFor(() => expect(address()).toBe('/users?user=2'));
  });

  it('finds clients, and opens their sites', async () => {
    const { user, fill, address } = renderScreen('/', {
      role: 'viewer',
      responses: {
        ...nothingElse,
        'GET /panel/overview': overviewOfOne({ expiring_licenses: null }),
        'GET /panel/clients': clients(
          clientItem({ sites: 2 }),
          clientItem({ id: 8, name: 'Old Acme', archived_at: '2026-06-01T12:00:00.000Z' }),
        ),
      },
    });
    await screen.findByRole('link', { name: 'Pending updates on 1 site' });
    await user.keyboard('{Control>}k{/Control}');
    await fill(within(await findDialog()).getByLabelText(LABEL), 'acm');
    const result = await screen.findByRole('button', { name: /^Acme\s*2 sites$/ });
    expect(screen.queryByRole('button', { name: /^Old Acme/ })).toBeNull();
    await user.click(result);
    await waitFor(() => expect(address()).toBe('/sites?client_id=7'));
  });

  it('finds settings by other words, and opens their section', async () => {
    const { user, fill, address } = renderScreen('/', {
      role: 'viewer',
      responses: {
        ...nothingElse,
        'GET /panel/overview': overviewOfOne({ expiring_licenses: null }),
        'GET /panel/account/second-factors': secondFactors(),
        'GET /panel/sessions': { success: true, sessions: [] },
      },
    });
    await screen.findByRole('link', { name: 'Pending updates on 1 site' });
    await user.keyboard('{Control>}k{/Control}');
    const field = within(await findDialog()).getByLabelText(LABEL);
    for (const [text, setting] of [
      ['token', 'Access tokens'],
      ['password', 'Password'],
      ['webhook', null],
      ['backup', 'Second factor'],
      ['two-factor', 'Second factor'],
      ['2fa', 'Second factor'],
    ] as const) {
      await fill(field, text);
      const entries = screen.queryAllByRole('button', { name: /Your account$|Notifications$/ });
      expect(entries.map((entry) => entry.textContent)).toEqual(
        setting === null ? [] : [`${setting}Your account`],
      );
    }
    await fill(field, 'openapi');
    screen.getByRole('button', { name: 'Description of the API' });
    await fill(field, 'add site');
    expect(screen.queryByRole('button', { name: 'Connect sites' })).toBeNull();
    await fill(field, '2fa');
    await user.click(screen.getByRole('button', { name: /^Second factor/ }));
    await waitFor(() => expect(address()).toBe('/account'));
    expect(window.location.hash).toBe('#second-factor');
    await waitFor(() => expect(document.getElementById('second-factor')?.tagName).toBe('SECTION'));
  });

  it('finds tags but no users for a manager', async () => {
    const { user, panel, fill } = renderScreen('/', {
      role: 'manager',
      responses: {
        ...nothingElse,
        'GET /panel/overview': overviewOfOne({ expiring_licenses: null }),
      },
    });
    await screen.findByRole('link', { name: 'Pending updates on 1 site' });
    await user.keyboard('{Control>}k{/Control}');
    await fill(within(await findDialog()).getByLabelText(LABEL), 'mona');
    await screen.findByRole('button', { name: /^mona-lisa\s*3 sites$/ });
    expect(panel.requests('GET /panel/users')).toEqual([]);
  });

  it('hides pages and actions that a viewer has no permission for', async () => {
    const { user } = renderScreen('/', {
      role: 'viewer',
      responses: { 'GET /panel/overview': overviewOfOne({ expiring_licenses: null }) },
    });
    await screen.findByRole('link', { name: 'Pending updates on 1 site' });
    await user.keyboard('{Control>}k{/Control}');
    const dialog = within(await findDialog());
    await dialog.findByRole('button', { name: 'Sign out' });
    for (const name of [
      'Invite a user',
      'Create a license',
      'Create a client',
      'Users',
      /pending updates$/,
      'Audit log',
    ]) {
      expect(dialog.queryByRole('button', { name })).toBeNull();
    }
  });
});
