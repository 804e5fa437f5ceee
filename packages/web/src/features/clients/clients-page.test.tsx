import { CLIENT_LOGO_MAX_BYTES } from '@steward/contract';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { clientItem, clients } from '../../../test/client-fixtures.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { MOMENT, NO_TAGS, siteItem, sites } from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';

const ACME = clientItem({
  sites: 3,
  contact_name: 'Anna',
  contact_email: 'anna@acme.example',
  logo: 'a1b2',
});
const OLD = clientItem({ id: 8, name: 'Old Client', archived_at: MOMENT });
const png = (bytes = 100, type = 'image/png') =>
  new File([new Uint8Array(bytes)], 'logo.png', { type });
const logoInput = () => document.querySelector<HTMLInputElement>('input[type="file"]');

describe('the list of clients', () => {
  it('shows the contact, the time zone, the logo and the sites of each client', async () => {
    const { click, address } = renderScreen('/clients', {
      responses: {
        'GET /panel/clients': clients(ACME, clientItem({ id: 9, name: 'Bolt' }), OLD),
        'GET /panel/sites': sites([siteItem()]),
        'GET /panel/tags': NO_TAGS,
      },
    });
    const row = within(await screen.findByRole('row', { name: /Acme/ }));
    row.getByText('Anna');
    row.getByText('Europe/Berlin');
    expect(row.getByRole('link', { name: 'anna@acme.example' }).getAttribute('href')).toBe(
      'mailto:anna@acme.example',
    );
    expect(document.querySelector('table img')?.getAttribute('src')).toBe(
      '/panel/clients/7/logo?v=a1b2',
    );
    within(screen.getByRole('row', { name: /Bolt/ })).getByText('None');
    screen.getByText('2 clients');
    expect(screen.queryByText('Old Client')).toBeNull();
    await expectAccessible('the list of clients');
    await click('Show 3 sites of Acme', 'link');
    await screen.findByRole('link', { name: 'shop.example.com' });
    expect(address()).toBe('/sites?client_id=7');
  });

  it('finds clients by their contact', async () => {
    const { user, address } = renderScreen('/clients', {
      responses: { 'GET /panel/clients': clients(ACME, clientItem({ id: 9, name: 'Bolt' })) },
    });
    await user.type(await screen.findByLabelText('Search clients'), 'anna');
    await waitFor(() => expect(screen.queryByText('Bolt')).toBeNull());
    expect(address()).toBe('/clients?search=anna');
    await user.type(screen.getByLabelText('Search clients'), 'x');
    await screen.findByText('No client matches');
    await user.click(screen.getByRole('button', { name: 'Clear filters' }));
    await screen.findByText('Bolt');
  });

  it('shows users who are not owners the clients of their sites, without actions', async () => {
    renderScreen('/clients?new=1&client=7', {
      role: 'manager',
      responses: { 'GET /panel/clients': clients(ACME) },
    });
    await screen.findByText('Acme');
    screen.getByRole('link', { name: 'Show 3 sites of Acme' });
    for (const name of ['Create client', 'Edit client Acme', 'Actions for Acme']) {
      expect(screen.queryByRole('button', { name })).toBeNull();
    }
    expect(screen.queryByRole('combobox', { name: 'Status' })).toBeNull();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('tells other users who adds sites to a client, while there are none', async () => {
    renderScreen('/clients', { role: 'viewer' });
    await screen.findByText(/Ask an owner to add sites to a client/);
    await expectAccessible('no clients');
  });
});

describe('creating a client', () => {
  it('uploads a logo with a preview', async () => {
    const { user, panel, click, fill, address } = renderScreen('/clients', {
      responses: {
        'POST /panel/clients': { success: true, client: ACME },
        'PUT /panel/clients/:id/logo': { success: true },
      },
    });
    await screen.findByText('No clients yet');
    await click('Create client');
    const dialog = within(await findDialog('Create client'));
    const submit = dialog.getByRole('button', { name: 'Create client' });
    expect(blockedReason(submit)).toBe('Enter a name first.');
    await fill(dialog.getByLabelText('Name'), 'Acme');
    await fill(dialog.getByLabelText('Contact'), 'Anna');
    await fill(dialog.getByLabelText('E-mail of the contact'), 'anna@acme.example');
    const zone = dialog.getByRole('combobox', { name: 'Time zone' });
    await user.click(zone);
    await fill(zone, 'Berlin');
    await user.click(await screen.findByRole('option', { name: 'Europe/Berlin' }));
    await user.upload(logoInput() as HTMLInputElement, png());
    const preview = await dialog.findByRole('img', { name: 'Preview of the logo' });
    expect(preview.getAttribute('src')).toMatch(/^data:image\/png;base64,/);
    await expectAccessible('the dialog for a new client');
    panel.setResponses({ 'GET /panel/clients': clients(ACME) });
    await user.click(submit);
    await expectDialogClosed();
    await screen.findByText('Client Acme created.');
    await screen.findByRole('row', { name: /Acme/ });
    expect(address()).toBe('/clients');
    expect(panel.requests('POST /panel/clients').map(({ body }) => body)).toEqual([
      {
        name: 'Acme',
        contact_name: 'Anna',
        contact_email: 'anna@acme.example',
        time_zone: 'Europe/Berlin',
      },
    ]);
    expect(panel.requests('PUT /panel/clients/:id/logo')).toMatchObject([
      { path: '/panel/clients/7/logo' },
    ]);
  });

  it('does not create the client again after the logo was refused', async () => {
    const { user, panel, fill } = renderScreen('/clients?new=1', {
      responses: {
        'POST /panel/clients': { success: true, client: ACME },
        'PUT /panel/clients/:id': { success: true, client: ACME },
        'PUT /panel/clients/:id/logo': errorResponse('invalid_logo'),
      },
    });
    const dialog = within(await findDialog('Create client'));
    await fill(dialog.getByLabelText('Name'), 'Acme');
    await user.upload(logoInput() as HTMLInputElement, png());
    await dialog.findByRole('img');
    await user.click(dialog.getByRole('button', { name: 'Create client' }));
    await dialog.findByText(/This file cannot be a logo/);
    await user.click(dialog.getByRole('button', { name: 'Remove logo' }));
    await user.click(dialog.getByRole('button', { name: 'Create client' }));
    await expectDialogClosed();
    expect(panel.requests('POST /panel/clients')).toHaveLength(1);
    expect(panel.requests('PUT /panel/clients/:id')).toHaveLength(1);
    expect(panel.requests('PUT /panel/clients/:id/logo')).toHaveLength(1);
  });

  it.each([
    ['a large image', png(CLIENT_LOGO_MAX_BYTES + 1), /larger than 256 KB/],
    ['another file', png(10, 'image/svg+xml'), /not a PNG, JPEG or WebP image/],
  ])('refuses %s as a logo', async (_, file, reason) => {
    const { user } = renderScreen('/clients?new=1');
    const dialog = within(await findDialog('Create client'));
    // The file dialog of a browser can show all files.
    logoInput()?.removeAttribute('accept');
    await user.upload(logoInput() as HTMLInputElement, file);
    await dialog.findByText(reason);
    expect(dialog.queryByRole('img')).toBeNull();
  });

  it('shows that the name is taken', async () => {
    const { user, fill } = renderScreen('/clients?new=1', {
      responses: { 'POST /panel/clients': errorResponse('client_exists') },
    });
    const dialog = within(await findDialog('Create client'));
    await fill(dialog.getByLabelText('Name'), 'Acme');
    await user.click(dialog.getByRole('button', { name: 'Create client' }));
    await dialog.findByText(/A client with this name already exists/);
  });
});

describe('changing a client', () => {
  it('changes the name and removes the logo', async () => {
    const { user, panel, click, fill, address } = renderScreen('/clients', {
      responses: {
        'GET /panel/clients': clients(ACME),
        'PUT /panel/clients/:id': { success: true, client: { ...ACME, name: 'Acme Ltd' } },
        'DELETE /panel/clients/:id/logo': { success: true },
      },
    });
    await click('Edit client Acme');
    expect(address()).toBe('/clients?client=7');
    const dialog = within(await findDialog('Edit client'));
    const submit = dialog.getByRole('button', { name: 'Save changes' });
    expect(blockedReason(submit)).toBe('You have not changed anything yet.');
    await fill(dialog.getByLabelText('Name'), 'Acme Ltd');
    await user.click(dialog.getByRole('button', { name: 'Remove logo' }));
    expect(dialog.queryByRole('img')).toBeNull();
    await user.click(submit);
    await screen.findByText('Client Acme Ltd saved.');
    expect(panel.requests('PUT /panel/clients/:id').at(-1)?.body).toMatchObject({
      name: 'Acme Ltd',
    });
    expect(panel.requests('DELETE /panel/clients/:id/logo')).toHaveLength(1);
  });

  it('archives it after a question, and restores it', async () => {
    const { user, panel, click } = renderScreen('/clients', {
      responses: {
        'GET /panel/clients': clients(ACME),
        'POST /panel/clients/:id/archive': { success: true, client: OLD },
        'POST /panel/clients/:id/restore': { success: true, client: ACME },
      },
    });
    await click('Actions for Acme');
    await user.click(await screen.findByRole('menuitem', { name: 'Archive…' }));
    const dialog = within(await findDialog('Archive client Acme'));
    dialog.getByText('3 sites then belong to no client.');
    await expectAccessible('the dialog to archive a client');
    panel.setResponses({ 'GET /panel/clients': clients(OLD) });
    await user.click(dialog.getByRole('button', { name: 'Archive client' }));
    await expectDialogClosed();
    await screen.findByText('No clients yet');

    await user.click(screen.getByRole('combobox', { name: 'Status' }));
    await user.click(await screen.findByRole('option', { name: 'Archived' }));
    await screen.findByText('1 archived client');
    await click('Actions for Old Client');
    panel.setResponses({ 'GET /panel/clients': clients(ACME) });
    await user.click(await screen.findByRole('menuitem', { name: 'Restore' }));
    await screen.findByText(/Old Client restored, without sites/);
    await screen.findByText('No archived clients');
  });
});
