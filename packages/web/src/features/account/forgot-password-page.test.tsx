import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

const visit = (path: string, canReset: boolean, others = {}) =>
  renderScreen(path, {
    role: null,
    responses: {
      'GET /panel/setup': errorResponse('setup_complete'),
      'GET /panel/sign-in-options': { success: true, password_reset: canReset },
      ...others,
    },
  });

describe('a forgotten password', () => {
  it('is reset by mail, with the same text for each address', async () => {
    const { panel, click, fill, address } = visit('/sign-in', true, {
      'POST /panel/request-password-reset': errorResponse('rate_limited'),
    });
    await click('Forgot your password?', 'link');
    // The sign-in page has a field with the same name.
    await screen.findByRole('button', { name: 'Send link' });
    const field = screen.getByLabelText<HTMLInputElement>('E-mail');
    expect(address()).toBe('/forgot-password');
    await fill(field, 'anna@example.com');
    await click('Send link');
    await screen.findByText(/^Too many requests/);
    panel.setResponses({ 'POST /panel/request-password-reset': { success: true } });
    await click('Send link');
    await screen.findByText(/^If anna@example.com has an account, a link is on its way/);
    expect(panel.requests('POST /panel/request-password-reset').at(-1)?.body).toEqual({
      email: 'anna@example.com',
    });
    await expectAccessible('the page for a forgotten password');
    await click('Back to sign-in', 'link');
    await screen.findByRole('button', { name: 'Sign in' });
  });

  it('needs an owner if the panel cannot send e-mail', async () => {
    visit('/sign-in', false);
    await screen.findByText(/An owner can send you a link/);
    expect(screen.queryByRole('link', { name: 'Forgot your password?' })).toBeNull();
  });

  it('says so on its page, too', async () => {
    visit('/forgot-password', false);
    await screen.findByText(/^This panel cannot send e-mail/);
    expect(screen.queryByRole('button', { name: 'Send link' })).toBeNull();
  });
});
