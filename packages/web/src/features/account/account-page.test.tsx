import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { MOMENT, secondFactors } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

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
});
