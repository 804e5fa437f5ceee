import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

describe('a panel without an owner', () => {
  const responses = { 'GET /panel/setup': { success: true, setup_needed: true } } as const;

  it.each(['/sign-in', '/setup', '/'])(
    'explains at %s how to find the setup link',
    async (path) => {
      renderScreen(path, { role: null, responses });
      await screen.findByRole('heading', { name: 'Setup is not complete' });
      screen.getByText(/Steward printed a setup link in its terminal or log when it started\./);
      expect(screen.queryByRole('textbox')).toBeNull();
      await expectAccessible('setup pending');
    },
  );

  it('shows the setup form to a user with the link', async () => {
    renderScreen('/setup#token=whatever', { role: null, responses });
    await screen.findByRole('heading', { name: 'Set up your panel' });
    screen.getByText(/^Updates, health and licenses of all your WordPress sites/);
    screen.getByRole('button', { name: 'Create account' });
  });

  it('shows why the panel refused the password', async () => {
    const error = 'This password is too common: attackers try it first.';
    const { click, fill } = renderScreen('/setup#token=whatever', {
      role: null,
      responses: { ...responses, 'POST /panel/setup': errorResponse('weak_password', { error }) },
    });
    await fill(await screen.findByLabelText('Name'), 'Olga');
    await fill(screen.getByLabelText('E-mail'), 'olga@example.com');
    await fill(screen.getByLabelText('Password'), 'password1234');
    await click('Create account');
    expect((await screen.findByRole('alert')).textContent).toContain(error);
  });
});

describe('a panel with an owner', () => {
  it.each(['/setup', '/setup#token=whatever'])(
    'shows at %s that setup is complete, and links to the sign-in page',
    async (path) => {
      const { click } = renderScreen(path, {
        role: null,
        responses: { 'GET /panel/setup': errorResponse('setup_complete') },
      });
      await screen.findByRole('heading', { name: 'Setup is already complete' });
      expect(screen.queryByRole('textbox')).toBeNull();
      await expectAccessible('setup complete');
      await click('Sign in', 'link');
      await screen.findByRole('heading', { name: 'Sign in' });
      screen.getByText(/^Updates, health and licenses of all your WordPress sites/);
    },
  );
});
