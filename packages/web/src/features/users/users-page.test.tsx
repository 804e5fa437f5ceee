import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { clientItem, clients } from '../../../test/client-fixtures.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import {
  MOMENT,
  overview,
  panelSettings,
  userSummary,
  users,
} from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';

const SETTINGS = panelSettings();
const NO_ACCESS = {
  success: true as const,
  access: { sites: [], licenses: [], tags: [], clients: [] },
};

describe('inviting a user', () => {
  it('shows why the panel refused, and opens the site access of the new user', async () => {
    const sam = userSummary({
      id: 2,
      name: 'Sam',
      email: 'sam@example.com',
      role: 'manager',
      last_sign_in_at: null,
      invited: true,
    });
    const { user, panel, click, fill, address } = renderScreen('/users?new=1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/settings': SETTINGS,
        'GET /panel/users/:id/access': NO_ACCESS,
        'POST /panel/users': ({ body }) => {
          const { email } = body as { email: string };
          if (email === 'olive@example.com') return errorResponse('email_taken');
          const url = 'https://panel.example.com/set-password#token=abc';
          return { success: true, user: sam, password_link: { url, expires_at: MOMENT } };
        },
      },
    });
    let dialog = within(await findDialog('Invite user'));
    await fill(dialog.getByLabelText('E-mail'), 'olive@example.com');
    await user.click(dialog.getByRole('button', { name: 'Invite user' }));
    await dialog.findByText(/user with this e-mail address already exists/);
    panel.setResponses({ 'GET /panel/users': users(userSummary(), sam) });
    await fill(dialog.getByLabelText('E-mail'), 'sam@example.com');
    await user.click(dialog.getByRole('button', { name: 'Invite user' }));
    await user.click(await screen.findByRole('button', { name: 'Choose their sites' }));
    await screen.findByText('Invited');
    expect(panel.requests('POST /panel/users').map(({ body }) => body)).toEqual([
      { email: 'olive@example.com', role: 'manager' },
      { email: 'sam@example.com', role: 'manager' },
    ]);
    dialog = within(await findDialog('Sam'));
    expect(address()).toBe('/users?user=2');
    await dialog.findByText(/has no access to any site/);
    dialog.getByText(/signs them in\. Earlier links expire\.$/);
    await user.click(dialog.getByRole('button', { name: 'Close' }));
    await expectDialogClosed();

    await click('Invite user');
    dialog = within(await findDialog('Invite user'));
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    await expectDialogClosed();
    expect(address()).toBe('/users');
  });
});

describe('the drawer of a user', () => {
  it('shows why the last owner cannot change the role or be disabled', async () => {
    const { user, panel } = renderScreen('/users', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/settings': SETTINGS,
        'GET /panel/users/:id/access': NO_ACCESS,
        'PATCH /panel/users/:id': errorResponse('last_owner'),
      },
    });
    const table = within(await screen.findByRole('table'));
    await user.click(table.getByRole('button', { name: 'Olive' }));
    const dialog = within(await findDialog('Olive'));
    await dialog.findByText(/Owners have access to all sites/);
    await user.click(dialog.getByRole('radio', { name: 'Viewer' }));
    await user.click(dialog.getByRole('button', { name: 'Save changes' }));
    within(await dialog.findByRole('alert')).getByText(/This is the last owner/);

    await user.click(dialog.getByRole('button', { name: 'Disable user' }));
    const question = within(await findDialog('Disable your own account'));
    await user.click(question.getByRole('button', { name: 'Disable user' }));
    await question.findByText(/This is the last owner/);
    expect(panel.requests('PATCH /panel/users/:id')).toMatchObject([
      { path: '/panel/users/1', body: { role: 'viewer' } },
      { path: '/panel/users/1', body: { disabled: true } },
    ]);
    await user.click(question.getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog', { name: 'Disable your own account' })).toBeNull();
  });

  it('creates a password link, which is shown once', async () => {
    const url = 'https://panel.example.com/set-password#token=abc';
    const { user } = renderScreen('/users?user=2', {
      responses: {
        'GET /panel/users': users(
          userSummary(),
          userSummary({ id: 2, name: 'Sam', role: 'viewer' }),
        ),
        'GET /panel/settings': SETTINGS,
        'GET /panel/users/:id/access': NO_ACCESS,
        'POST /panel/users/:id/reset-password': {
          success: true,
          password_link: { url, expires_at: MOMENT },
        },
      },
    });
    const dialog = within(await findDialog('Sam'));
    await user.click(dialog.getByRole('button', { name: 'Create password link' }));
    await screen.findByDisplayValue(url);
  });

  it('grants and revokes access to the sites of a client', async () => {
    const granted = {
      success: true as const,
      access: {
        ...NO_ACCESS.access,
        clients: [{ client_id: 7, name: 'Acme', sites: 3, granted_at: MOMENT }],
      },
    };
    const { user, panel } = renderScreen('/users?user=2', {
      responses: {
        'GET /panel/users': users(
          userSummary(),
          userSummary({ id: 2, name: 'Sam', role: 'viewer' }),
        ),
        'GET /panel/settings': SETTINGS,
        'GET /panel/users/:id/access': NO_ACCESS,
        'GET /panel/clients': clients(
          clientItem({ sites: 3 }),
          clientItem({ id: 8, name: 'Old', archived_at: MOMENT }),
        ),
        'POST /panel/users/:id/access/grant': granted,
        'POST /panel/users/:id/access/revoke': NO_ACCESS,
      },
    });
    const dialog = within(await findDialog('Sam'));
    await user.click(
      await dialog.findByRole('combobox', { name: 'Grant access to all sites of a client' }),
    );
    const option = await screen.findByRole('option', { name: 'Acme (3 sites)' });
    expect(screen.queryByRole('option', { name: /^Old/ })).toBeNull();
    await user.click(option);
    await user.click(dialog.getByRole('button', { name: 'Grant client access' }));
    const revoke = await dialog.findByRole('button', {
      name: 'Revoke access: All sites of client Acme (3 sites now)',
    });
    dialog.getByText(/^Access to these sites only/);
    await user.click(revoke);
    await dialog.findByText(/has no access to any site/);
    const bodies = (verb: 'grant' | 'revoke') =>
      panel.requests(`POST /panel/users/:id/access/${verb}`).map(({ body }) => body);
    expect([bodies('grant'), bodies('revoke')]).toEqual([
      [{ client_ids: [7] }],
      [{ client_ids: [7] }],
    ]);
  });

  it('reports a user that does not exist', async () => {
    renderScreen('/users?user=9999', {
      responses: { 'GET /panel/users': users(), 'GET /panel/settings': SETTINGS },
    });
    await screen.findByText('There is no such user');
  });
});

describe('UsersPage', () => {
  it('tells managers that only owners may open it', async () => {
    const { click, address } = renderScreen('/users', {
      role: 'manager',
      responses: { 'GET /panel/overview': overview({ expiring_licenses: null }) },
    });
    await screen.findByRole('heading', { name: 'This page is for owners' });
    screen.getByText(/Ask an owner for access/);
    await expectAccessible('owners only');
    await click('Go to the overview', 'link');
    await screen.findByRole('heading', { name: 'Overview' });
    expect(address()).toBe('/');
  });
});
