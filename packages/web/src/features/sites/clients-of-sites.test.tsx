import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { clientItem, clients } from '../../../test/client-fixtures.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { MOMENT, NO_TAGS, siteItem, sites } from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';

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

describe('the client of selected sites', () => {
  const openDialog = async ({ user, click }: ReturnType<typeof renderScreen>) => {
    await user.click(await screen.findByLabelText('Select Acme Shop (shop.example.com)'));
    await click('More actions');
    await user.click(await screen.findByRole('menuitem', { name: 'Set client…' }));
    return within(await findDialog('Set client of 1 site'));
  };

  it('is set, and removed', async () => {
    const rendered = renderScreen('/sites', {
      role: 'manager',
      responses: {
        ...RESPONSES,
        'POST /panel/sites/client': { success: true, changed: 1, not_found: 0 },
      },
    });
    const { user, panel } = rendered;
    for (const choice of ['Acme', 'No client']) {
      const dialog = await openDialog(rendered);
      const submit = dialog.getByRole('button', { name: 'Set client of 1 site' });
      expect(blockedReason(submit)).toBe('Choose a client first, or “No client”.');
      await user.click(dialog.getByRole('combobox', { name: 'Client' }));
      await user.click(await screen.findByRole('option', { name: choice }));
      await expectAccessible('the dialog for the client of sites');
      await user.click(submit);
      await expectDialogClosed();
      await user.click(screen.getByRole('button', { name: 'Select none' }));
    }
    await screen.findAllByText('Client changed on 1 site.');
    expect(panel.requests('POST /panel/sites/client').map(({ body }) => body)).toEqual([
      { site_ids: [1], client_id: 7 },
      { site_ids: [1], client_id: null },
    ]);
  });

  it('stays as it is if only owners may change it', async () => {
    const rendered = renderScreen('/sites', {
      role: 'manager',
      responses: {
        ...RESPONSES,
        'POST /panel/sites/client': errorResponse('forbidden', { error: 'Only owners can.' }),
      },
    });
    const dialog = await openDialog(rendered);
    await rendered.user.click(dialog.getByRole('combobox', { name: 'Client' }));
    await rendered.user.click(await screen.findByRole('option', { name: 'Acme' }));
    await rendered.user.click(dialog.getByRole('button', { name: 'Set client of 1 site' }));
    await dialog.findByText('Only owners can.');
  });

  it('needs a client, which owners create', async () => {
    const rendered = renderScreen('/sites', {
      responses: { ...RESPONSES, 'GET /panel/clients': clients() },
    });
    const dialog = await openDialog(rendered);
    await rendered.user.click(dialog.getByRole('link', { name: 'Create a client' }));
    await findDialog('Create client');
    expect(rendered.address()).toBe('/clients?new=1');
  });
});
