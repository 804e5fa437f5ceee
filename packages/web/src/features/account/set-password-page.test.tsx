import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { errorResponse, type PanelResponses } from '../../../test/fake-panel.ts';
import { renderScreen, sessionOf } from '../../../test/render-screen.tsx';

async function choosePassword(answer: PanelResponses['POST /panel/set-password']) {
  const view = renderScreen('/set-password#token=whatever', {
    role: null,
    responses: {
      'GET /panel/setup': errorResponse('setup_complete'),
      'GET /panel/overview': errorResponse('unavailable'),
      'GET /panel/runs': { success: true, runs: [] },
      'POST /panel/set-password': answer,
    },
  });
  await view.fill(await screen.findByLabelText('Password'), 'correct horse battery');
  await view.click('Set password');
  return view;
}

describe('the page of a password link', () => {
  it('opens the panel after an invitation', async () => {
    const { user, csrf_token } = sessionOf('manager');
    const { address } = await choosePassword({ success: true, user, csrf_token });
    await waitFor(() => expect(address()).toBe('/'));
    await screen.findByRole('navigation');
  });

  it('asks for the second factor of an invited account', async () => {
    await choosePassword(errorResponse('two_factor_required', { methods: ['totp'] }));
    await screen.findByLabelText(/Code/);
    expect(screen.queryByLabelText('Password')).toBeNull();
  });

  it('opens the sign-in page after any other link', async () => {
    const { address } = await choosePassword({ success: true });
    await screen.findByRole('heading', { name: 'Sign in' });
    expect(address()).toBe('/sign-in');
  });
});
