import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { refusal } from '../../../test/panel-answers.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

describe('a panel that nobody has set up', () => {
  const answers = { 'GET /panel/setup': { success: true, setup_needed: true } } as const;

  it.each(['/sign-in', '/setup', '/'])('says at %s where the link is', async (path) => {
    renderScreen(path, { as: null, answers });
    await screen.findByRole('heading', { name: 'Nobody has an account yet' });
    screen.getByText(/The panel printed a link when it started\./);
    expect(screen.queryByRole('textbox')).toBeNull();
    await expectAccessible('nobody yet');
  });

  it('asks who comes by the link for their account', async () => {
    renderScreen('/setup#token=whatever', { as: null, answers });
    await screen.findByRole('heading', { name: 'Set up your panel' });
    screen.getByRole('button', { name: 'Create my account' });
  });

  it('shows why a password is refused', async () => {
    const error = 'This password is too common: attackers try it first.';
    const { click, fill } = renderScreen('/setup#token=whatever', {
      as: null,
      answers: { ...answers, 'POST /panel/setup': refusal('weak_password', { error }) },
    });
    await fill(await screen.findByLabelText('Name'), 'Olga');
    await fill(screen.getByLabelText('E-mail'), 'olga@example.com');
    await fill(screen.getByLabelText('Password'), 'password1234');
    await click('Create my account');
    expect((await screen.findByRole('alert')).textContent).toContain(error);
  });
});

describe('a panel that has an owner', () => {
  it.each(['/setup', '/setup#token=whatever'])(
    'says so at %s to who comes by an old link, and leads to the sign-in',
    async (path) => {
      const { click } = renderScreen(path, {
        as: null,
        answers: { 'GET /panel/setup': refusal('setup_complete') },
      });
      await screen.findByRole('heading', { name: 'This panel is set up already' });
      expect(screen.queryByRole('textbox')).toBeNull();
      await expectAccessible('set up already');
      await click('Sign in', 'link');
      await screen.findByRole('heading', { name: 'Sign in' });
    },
  );
});
