import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '../../test/axe.ts';
import { unknownErrorResponse } from '../../test/fake-panel.ts';
import { licenses, overview, secondFactors } from '../../test/panel-fixtures.ts';
import { expectConsoleError, renderScreen, sessionOf } from '../../test/render-screen.tsx';

describe('error pages', () => {
  it('link from an unknown URL to the overview', async () => {
    const { click, address } = renderScreen('/nothing/here', {
      responses: { 'GET /panel/overview': overview(), 'GET /panel/licenses': licenses() },
    });
    await screen.findByRole('heading', { name: 'Page not found' });
    await expectAccessible('page not found');
    await click('Go to the overview', 'link');
    await screen.findByRole('heading', { name: 'Overview' });
    expect(address()).toBe('/');
  });

  it('show why a page failed to load, and retry', async () => {
    // The router logs a warning for each error that it shows.
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { user, panel } = renderScreen('/account', {
      responses: {
        // An unknown error code with status 400: the client must not retry it automatically.
        'GET /panel/session': unknownErrorResponse(400, 'odd', 'Something is odd.'),
        'GET /panel/sessions': { success: true, sessions: [] },
        'GET /panel/account/second-factors': secondFactors(),
      },
    });
    const alert = within(await screen.findByRole('alert'));
    alert.getByText('Something is odd.');
    expect(panel.requests('GET /panel/session')).toHaveLength(1);
    panel.setResponses({ 'GET /panel/session': sessionOf('owner') });
    await user.click(alert.getByRole('button', { name: 'Retry' }));
    await screen.findByRole('heading', { name: 'Your account' });
    // React logs errors that an error boundary catches.
    expectConsoleError('ApiError: Something is odd.');
  });
});
