import type { AccessTokenSummary } from '@steward/contract';
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { clientItem, clients } from '../../../test/client-fixtures.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { MOMENT, secondFactors } from '../../../test/panel-fixtures.ts';
import { findDialog, renderScreen } from '../../../test/render-screen.tsx';

const SECRET = `stw_pat_${'a'.repeat(43)}`;
const ACCOUNT_RESPONSES = {
  'GET /panel/account/second-factors': secondFactors(),
  'GET /panel/sessions': { success: true as const, sessions: [] },
};
const tokenSummary = (more: Partial<AccessTokenSummary> = {}): AccessTokenSummary => ({
  id: 7,
  name: 'Nightly updates',
  last_four: 'aaaa',
  role: 'owner',
  actions: ['read', 'update'],
  access: null,
  created_at: MOMENT,
  expires_at: MOMENT,
  is_expired: false,
  last_used_at: null,
  last_used_ip: null,
  ...more,
});
const tokens = (...list: AccessTokenSummary[]) => ({ success: true as const, tokens: list });

describe('the access tokens on the account page', () => {
  it('show what each token may do, on which sites, and when it was used', async () => {
    renderScreen('/account', {
      responses: {
        ...ACCOUNT_RESPONSES,
        'GET /panel/account/tokens': tokens(
          tokenSummary({ last_used_at: MOMENT, last_used_ip: '192.0.2.7' }),
          tokenSummary({
            id: 8,
            name: 'Old script',
            actions: ['sync'],
            is_expired: true,
            access: {
              sites: [
                {
                  site_id: 1,
                  site_url: 'https://a.example',
                  site_name: 'a.example',
                  granted_at: MOMENT,
                },
              ],
              licenses: [],
              tags: [{ tag: 'shop', sites: 2, granted_at: MOMENT }],
              clients: [{ client_id: 4, name: 'Acme', sites: 3, granted_at: MOMENT }],
            },
          }),
        ),
      },
    });
    await screen.findByText('Read, Update · All sites that you may see');
    screen.getByText(/from 192\.0\.2\.7/);
    screen.getByText('Sync · 1 site, all sites of client Acme, all sites with the tag shop');
    screen.getByText(/…aaaa, expired/);
    await expectAccessible('the account page with access tokens');
  });

  it('lead to the description of the API', async () => {
    const { click, address } = renderScreen('/account', {
      responses: { ...ACCOUNT_RESPONSES, 'GET /openapi.json': errorResponse('internal_error') },
    });
    await screen.findByText('No access tokens.');
    await click('API documentation', 'link');
    await screen.findByRole('heading', { name: 'API' });
    expect(address()).toBe('/docs');
  });

  it('creates a token after a confirmation of identity, and shows it once', async () => {
    let isConfirmed = false;
    const { panel, user, click, fill } = renderScreen('/account', {
      responses: {
        ...ACCOUNT_RESPONSES,
        'POST /auth/confirm': () => {
          isConfirmed = true;
          return { success: true };
        },
        'POST /panel/account/tokens': () =>
          isConfirmed
            ? { success: true, token: tokenSummary(), secret: SECRET }
            : errorResponse('confirmation_required'),
      },
    });
    await screen.findByText('No access tokens.');
    await click('Create token');
    const dialog = within(await findDialog('Create access token'));
    const submit = () => dialog.getByRole<HTMLButtonElement>('button', { name: 'Create token' });
    expect(blockedReason(submit())).not.toBeNull();
    await fill(dialog.getByLabelText('Name'), ' Nightly updates ');
    await user.click(dialog.getByLabelText('Update'));
    await expectAccessible('the dialog for a new token');
    panel.setResponses({ 'GET /panel/account/tokens': tokens(tokenSummary()) });
    await user.click(submit());
    const confirmation = within(await findDialog('Confirm your identity'));
    await fill(await confirmation.findByLabelText('Your password'), 'a long password');
    await user.click(confirmation.getByRole('button', { name: 'Confirm' }));
    const secret = within(await findDialog('Access token Nightly updates'));
    expect(secret.getByLabelText<HTMLInputElement>('Access token').value).toBe(SECRET);
    await user.click(secret.getByRole('button', { name: 'I have stored it' }));
    await screen.findByText('Read, Update · All sites that you may see');
    expect(document.body.innerHTML).not.toContain(SECRET);
    expect(panel.requests('POST /panel/account/tokens').at(-1)?.body).toEqual({
      name: 'Nightly updates',
      role: 'owner',
      actions: ['read', 'update'],
      expires_in_days: 90,
    });
  });

  it('limits a token of an owner to sites with the role of a manager', async () => {
    const { panel, user, click, fill } = renderScreen('/account', {
      responses: {
        ...ACCOUNT_RESPONSES,
        'GET /panel/tags': { success: true, tags: [{ name: 'shop', sites: 2 }] },
        'GET /panel/clients': clients(clientItem({ sites: 3 })),
        'POST /panel/account/tokens': { success: true, token: tokenSummary(), secret: SECRET },
      },
    });
    await screen.findByText('No access tokens.');
    await click('Create token');
    const dialog = within(await findDialog('Create access token'));
    await fill(dialog.getByLabelText('Name'), 'Shops');
    expect(dialog.queryByLabelText('Licenses')).not.toBeNull();
    await user.click(dialog.getByLabelText('Only some sites'));
    expect(dialog.queryByLabelText('Licenses')).toBeNull();
    const submit = dialog.getByRole<HTMLButtonElement>('button', { name: 'Create token' });
    expect(blockedReason(submit)).not.toBeNull();
    await user.click(dialog.getByRole('combobox', { name: 'All sites with tags' }));
    await user.click(await screen.findByRole('option', { name: 'shop (2 sites)' }));
    await user.click(dialog.getByRole('combobox', { name: 'All sites of clients' }));
    await user.click(await screen.findByRole('option', { name: 'Acme (3 sites)' }));
    await user.click(submit);
    await findDialog('Access token Nightly updates');
    expect(panel.requests('POST /panel/account/tokens').at(-1)?.body).toEqual({
      name: 'Shops',
      role: 'manager',
      actions: ['read'],
      access: { site_ids: [], license_ids: [], client_ids: [7], tags: ['shop'] },
      expires_in_days: 90,
    });
  });

  it('offers a viewer only reading', async () => {
    const { click } = renderScreen('/account', { role: 'viewer', responses: ACCOUNT_RESPONSES });
    await screen.findByText('No access tokens.');
    await click('Create token');
    const dialog = within(await findDialog('Create access token'));
    expect(dialog.getAllByRole('checkbox')).toHaveLength(1);
    dialog.getByLabelText('All your sites');
  });

  it('revokes a token after a question', async () => {
    const { panel, user, click } = renderScreen('/account', {
      responses: {
        ...ACCOUNT_RESPONSES,
        'GET /panel/account/tokens': tokens(tokenSummary()),
        'DELETE /panel/account/tokens/:id': { success: true },
      },
    });
    await screen.findByText('Nightly updates');
    await click('Revoke Nightly updates');
    const dialog = within(await findDialog('Revoke Nightly updates'));
    panel.setResponses({ 'GET /panel/account/tokens': tokens() });
    await user.click(dialog.getByRole('button', { name: 'Revoke token' }));
    await screen.findByText('Nightly updates is revoked.');
    await screen.findByText('No access tokens.');
  });
});
