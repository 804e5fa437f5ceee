import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { MOMENT, secondFactors } from '../../../test/panel-fixtures.ts';
import { findDialog, renderScreen, signedInUser } from '../../../test/render-screen.tsx';

const ACCOUNT_RESPONSES = {
  'GET /panel/account/second-factors': secondFactors(),
  'GET /panel/sessions': { success: true as const, sessions: [] },
};

describe('the profile', () => {
  const saveButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save changes' });

  it('changes the name, which the rail shows at once', async () => {
    const { user, panel, click, fill } = renderScreen('/account', {
      role: 'viewer',
      responses: {
        ...ACCOUNT_RESPONSES,
        'PATCH /panel/account': {
          success: true,
          user: { ...signedInUser('viewer'), name: 'Vera Smith' },
        },
      },
    });
    const name = await screen.findByLabelText('Name');
    expect(blockedReason(saveButton())).toBe('You have not changed anything yet.');
    name.focus();
    await user.keyboard('{Enter}');
    expect(panel.requests('PATCH /panel/account')).toEqual([]);
    await fill(name, ' Vera Smith ');
    await click('Save changes');
    await screen.findByText('Changes saved.');
    screen.getByRole('link', { name: 'Account of Vera Smith' });
    expect(blockedReason(saveButton())).not.toBeNull();
    expect(panel.requests('PATCH /panel/account').map(({ body }) => body)).toEqual([
      { name: 'Vera Smith' },
    ]);
    await expectAccessible('the account page');
  });

  it('changes the e-mail address after a confirmation of identity', async () => {
    let isConfirmed = false;
    const email = 'olive@example.org';
    const { panel, user, click, fill } = renderScreen('/account', {
      responses: {
        ...ACCOUNT_RESPONSES,
        'POST /auth/confirm': () => {
          isConfirmed = true;
          return { success: true };
        },
        'PATCH /panel/account': () =>
          isConfirmed
            ? { success: true, user: { ...signedInUser('owner'), email } }
            : errorResponse('confirmation_required'),
      },
    });
    await fill(await screen.findByLabelText('E-mail'), 'Olive@example.org');
    await click('Save changes');
    const dialog = within(await findDialog('Confirm your identity'));
    await fill(await dialog.findByLabelText('Your password'), 'a long password');
    await user.click(dialog.getByRole('button', { name: 'Confirm' }));
    await screen.findByText(`Changes saved. From now on, sign in with ${email}.`);
    expect(panel.requests('PATCH /panel/account').map(({ body }) => body)).toEqual([
      { email },
      { email },
    ]);
  });

  it('shows that another user has the address, and keeps the input', async () => {
    const { click, fill } = renderScreen('/account', {
      responses: { ...ACCOUNT_RESPONSES, 'PATCH /panel/account': errorResponse('email_taken') },
    });
    const email = await screen.findByLabelText<HTMLInputElement>('E-mail');
    await fill(email, 'mona@example.com');
    await click('Save changes');
    await screen.findByText('A user with this e-mail address already exists.');
    expect(email.value).toBe('mona@example.com');
  });
});

describe('the account page', () => {
  it('shows the role and the sessions of the user', async () => {
    const session = { created_at: MOMENT, expires_at: MOMENT, ip: '192.0.2.7' };
    renderScreen('/account', {
      responses: {
        'GET /panel/account/second-factors': secondFactors(),
        'GET /panel/sessions': {
          success: true,
          sessions: [
            { ...session, id: 1, current: true, user_agent: 'Firefox/140 Linux' },
            { ...session, id: 2, current: false, user_agent: 'curl/8.5.0' },
          ],
        },
      },
    });
    await screen.findByText('Firefox on Linux (this session)');
    screen.getByText('Owner, full access');
    screen.getByText('API or script');
    expect(screen.queryByRole('button', { name: 'Sign out Firefox on Linux' })).toBeNull();
    screen.getByRole('button', { name: 'Sign out API or script' });
  });

  it('ends one session, or all others', async () => {
    const session = { created_at: MOMENT, expires_at: MOMENT, ip: '192.0.2.7' };
    const own = { ...session, id: 1, current: true, user_agent: 'Firefox/140 Linux' };
    const sessions = (...ids: number[]) => ({
      success: true as const,
      sessions: [
        own,
        ...ids.map((id) => ({ ...session, id, current: false, user_agent: 'curl/8.5.0' })),
      ],
    });
    const { user, panel, click } = renderScreen('/account', {
      responses: {
        'GET /panel/account/second-factors': secondFactors(),
        'GET /panel/sessions': sessions(2, 3),
        'DELETE /panel/sessions/:id': { success: true },
        'DELETE /panel/sessions': { success: true },
        'POST /auth/sign-out': { success: true },
        'GET /panel/setup': errorResponse('setup_complete'),
      },
    });
    const buttons = await screen.findAllByRole('button', { name: 'Sign out API or script' });
    panel.setResponses({ 'GET /panel/sessions': sessions(3) });
    await user.click(buttons[0] as HTMLElement);
    await waitFor(() =>
      expect(screen.getAllByRole('button', { name: 'Sign out API or script' })).toHaveLength(1),
    );
    panel.setResponses({ 'GET /panel/sessions': sessions() });
    await click('Sign out everywhere else');
    await screen.findByText('Signed out of all other sessions.');
    await click('Sign out');
    await screen.findByRole('heading', { name: 'Sign in' });
    await waitFor(() => expect(screen.queryByText('Signed out of all other sessions.')).toBeNull());
  });

  it('keeps the other sessions after a password change if the user chooses so', async () => {
    const { user, panel, click, fill } = renderScreen('/account', {
      responses: { ...ACCOUNT_RESPONSES, 'POST /auth/change-password': { success: true } },
    });
    await fill(await screen.findByLabelText('Current password'), 'correct horse battery');
    await fill(screen.getByLabelText('New password'), 'quite another password');
    await user.click(screen.getByLabelText('Sign out everywhere else'));
    await click('Change password');
    await screen.findByText('Password changed.');
    expect(panel.requests('POST /auth/change-password').map(({ body }) => body)).toEqual([
      {
        current_password: 'correct horse battery',
        new_password: 'quite another password',
        end_other_sessions: false,
      },
    ]);
  });
});
