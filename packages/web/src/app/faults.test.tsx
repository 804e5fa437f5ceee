import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '../../test/axe.ts';
import { unknownRefusal } from '../../test/panel-answers.ts';
import { licenses, overview, secondFactors } from '../../test/panel-fixtures.ts';
import { expectFault, renderScreen, sessionOf } from '../../test/render-screen.tsx';

describe('the frame', () => {
  it('leads from an address where nothing is to the overview', async () => {
    const { click, address } = renderScreen('/nothing/here', {
      answers: { 'GET /panel/overview': overview(), 'GET /panel/licenses': licenses() },
    });
    await screen.findByRole('heading', { name: 'There is nothing at this address' });
    await expectAccessible('nothing here');
    await click('Go to the overview', 'link');
    await screen.findByRole('heading', { name: 'Overview' });
    expect(address()).toBe('/');
  });

  it('says that a page could not be shown at all, and tries again', async () => {
    // The router warns of what it shows.
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { user, panel } = renderScreen('/account', {
      answers: {
        // A refusal that is none of the known ones: nobody would be helped by trying it again unasked.
        'GET /panel/session': unknownRefusal(400, 'odd', 'Something is odd.'),
        'GET /panel/sessions': { success: true, sessions: [] },
        'GET /panel/account/second-factors': secondFactors(),
      },
    });
    const fault = within(await screen.findByRole('alert'));
    fault.getByText('Something is odd.');
    expect(panel.requests('GET /panel/session')).toHaveLength(1);
    panel.nowAnswers({ 'GET /panel/session': sessionOf('owner') });
    await user.click(fault.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('heading', { name: 'Your account' });
    // React reports what an error boundary has caught.
    expectFault('ApiError: Something is odd.');
  });
});
