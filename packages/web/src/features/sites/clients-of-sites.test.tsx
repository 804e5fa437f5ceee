import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { clientItem, clients } from '../../../test/client-fixtures.ts';
import { MOMENT, NO_TAGS, siteItem, sites } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

const ACME = clientItem({ sites: 2 });
const RESPONSES = {
  'GET /panel/clients': clients(ACME, clientItem({ id: 8, name: 'Old', archived_at: MOMENT })),
  'GET /panel/sites': sites([
    siteItem({
      name: 'Acme Shop (shop.example.com)',
      display_name: 'Acme Shop',
      client: { id: 7, name: 'Acme' },
    }),
  ]),
  'GET /panel/tags': NO_TAGS,
};

describe('the list of sites', () => {
  it('shows the display name with the address, and the client', async () => {
    renderScreen('/sites', { responses: RESPONSES });
    await screen.findByRole('link', { name: 'Acme Shop (shop.example.com)' });
    screen.getByRole('columnheader', { name: 'Client' });
    screen.getByRole('cell', { name: 'Acme' });
    await expectAccessible('sites with clients');
  });

  it('filters by client, and by no client', async () => {
    const { user, panel, address } = renderScreen('/sites', { responses: RESPONSES });
    const filter = await screen.findByRole('combobox', { name: 'Client' });
    await user.click(filter);
    await screen.findByRole('option', { name: 'No client' });
    expect(screen.queryByRole('option', { name: /Old/ })).toBeNull();
    await user.click(await screen.findByRole('option', { name: 'Acme (2)' }));
    await waitFor(() => expect(address()).toBe('/sites?client_id=7'));
    await user.click(filter);
    await user.click(await screen.findByRole('option', { name: 'No client' }));
    await waitFor(() => expect(address()).toBe('/sites?client_id=none'));
    expect(panel.requests('GET /panel/sites').map(({ query }) => query.client_id)).toEqual([
      undefined,
      '7',
      'none',
    ]);
  });

  it('has no filter by client without clients', async () => {
    renderScreen('/sites', { responses: { ...RESPONSES, 'GET /panel/clients': clients() } });
    await screen.findByRole('link', { name: 'Acme Shop (shop.example.com)' });
    expect(screen.queryByRole('combobox', { name: 'Client' })).toBeNull();
  });

  it('shows the id of a client that the user may not see', async () => {
    renderScreen('/sites?client_id=99', { responses: RESPONSES });
    const filter = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Client' });
    await waitFor(() => expect(filter.value).toBe('Client 99'));
  });
});
