import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import {
  inDays,
  licenseDetails,
  licenseSummary,
  licenses,
  panelSettings,
  plan,
  plans,
  SERVICES,
} from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';

const KEY = 'STWD-AAAAA-BBBBB-CCCCC-C38HP5';

describe('creating a license', () => {
  it('takes the site limit and the services from an existing plan', async () => {
    const unlimited = {
      plan: { name: 'Florist', slug: 'florist', services: ['remote'] },
      site_limit: null,
      sites_remaining: null,
    };
    const { user, panel, address } = renderScreen('/licenses?new=1', {
      responses: {
        'GET /panel/licenses': licenses(),
        'GET /panel/plans': plans(plan('Florist', 7)),
        'GET /api/v1/services': SERVICES,
        'POST /panel/licenses': {
          success: true,
          license: { ...licenseSummary(unlimited), license_key: KEY },
        },
        'GET /panel/licenses/:id': licenseDetails(unlimited),
        'GET /panel/settings': panelSettings(),
      },
    });
    const dialog = within(await findDialog());
    await user.click(dialog.getByRole('combobox', { name: 'Plan' }));
    await user.click(await screen.findByRole('option', { name: 'Florist' }));
    expect(dialog.getByLabelText<HTMLInputElement>('Site limit').value).toBe('7');
    dialog.getByText('The license expires at the end of this day, in your time zone.');
    const remote = await dialog.findByRole<HTMLInputElement>('checkbox', {
      name: 'Remote management',
    });
    expect(remote.checked).toBe(true);
    await user.click(dialog.getByLabelText('Unlimited sites'));
    await user.type(dialog.getByLabelText('Name'), 'Berlin');
    await user.click(dialog.getByRole('button', { name: 'Create license' }));
    await screen.findByText(/Copy the key now/);
    expect(panel.requests('POST /panel/licenses').map(({ body }) => body)).toEqual([
      // A request without services gives the license the services of its plan.
      { name: 'Berlin', plan: 'Florist', site_limit: null, expires_at: null },
    ]);
    expect(dialog.getByLabelText<HTMLInputElement>('License key').value).toBe(KEY);
    await user.click(dialog.getByRole('link', { name: 'Open license' }));
    await screen.findByText('0 used, no limit');
    expect(address()).toBe('/licenses/1');
  });

  it('shows why the panel refused, and keeps the input', async () => {
    const { user, panel, fill } = renderScreen('/licenses?new=1', {
      responses: {
        'GET /panel/licenses': licenses(),
        'GET /panel/plans': plans(),
        'GET /api/v1/services': SERVICES,
        'POST /panel/licenses': errorResponse('invalid_request', {
          error:
            'A plan name must have 1 to 100 characters, with at least one letter or digit and no line breaks.',
        }),
      },
    });
    const dialog = within(await findDialog());
    const name = dialog.getByRole<HTMLInputElement>('combobox', { name: 'Plan' });
    await fill(name, '???');
    await fill(dialog.getByLabelText('Site limit'), '2');
    await user.click(dialog.getByRole('button', { name: 'Create license' }));
    within(await dialog.findByRole('alert')).getByText(/A plan name must have/);
    expect(panel.requests('POST /panel/licenses').map(({ body }) => body)).toEqual([
      { plan: '???', site_limit: 2, services: ['remote'], expires_at: null },
    ]);
    expect(name.value).toBe('???');
    await expectAccessible('create license, refused');
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    await expectDialogClosed();
  });
});

describe('the date field', () => {
  it('closes its dialog on Escape, unless Escape closes the calendar', async () => {
    const { user, fill } = renderScreen('/licenses?new=1', {
      responses: {
        'GET /panel/licenses': licenses(),
        'GET /panel/plans': plans(),
        'GET /api/v1/services': SERVICES,
      },
    });
    const dialog = within(await findDialog());
    await fill(dialog.getByRole('combobox', { name: 'Plan' }), 'Florist');
    await user.click(dialog.getByLabelText('Never expires'));
    const day = dialog.getByLabelText<HTMLInputElement>('Valid through');
    await fill(day, '2099-01-31');
    // Firefox closes the calendar and prevents the default.
    day.addEventListener('keydown', (event) => event.preventDefault(), { once: true });
    await user.keyboard('{Escape}');
    expect(day.value).toBe('2099-01-31');
    await findDialog();
    await user.keyboard('{Escape}');
    await expectDialogClosed();
  });
});

describe('the list of licenses', () => {
  it('filters by status and plan in the URL, and clears the filters when nothing matches', async () => {
    const { user, panel, click, address } = renderScreen('/licenses', {
      responses: {
        'GET /panel/licenses': ({ query }) =>
          licenses(...(query.status === 'suspended' ? [] : [licenseSummary()])),
        'GET /panel/plans': plans(plan('Carpenter')),
      },
    });
    await screen.findByRole('link', { name: 'Agency …C38HP5' });
    await user.click(screen.getByRole('combobox', { name: 'Plan' }));
    await user.click(await screen.findByRole('option', { name: 'Carpenter' }));
    await user.click(screen.getByRole('combobox', { name: 'Status' }));
    await user.click(await screen.findByRole('option', { name: 'suspended' }));
    await screen.findByRole('heading', { name: 'No license matches' });
    expect(new URLSearchParams(address().split('?')[1]).toString()).toBe(
      'plan=carpenter&status=suspended',
    );
    expect(panel.requests('GET /panel/licenses').at(-1)?.query).toMatchObject({
      plan: 'carpenter',
      status: 'suspended',
    });
    await click('Clear filters');
    await screen.findByRole('link', { name: 'Agency …C38HP5' });
    expect(address()).toBe('/licenses');
  });

  it('loads more licenses', async () => {
    const page = (id: number, next_cursor: string | null) => ({
      ...licenses(licenseSummary({ id, key_last_six: `00000${id}` })),
      next_cursor,
    });
    const { click } = renderScreen('/licenses', {
      responses: {
        'GET /panel/licenses': ({ query }) => (query.cursor ? page(2, null) : page(1, 'next')),
        'GET /panel/plans': plans(),
      },
    });
    await screen.findByRole('link', { name: 'Agency …000001' });
    await click('Show more licenses');
    await screen.findByRole('link', { name: 'Agency …000002' });
    screen.getByRole('link', { name: 'Agency …000001' });
    expect(screen.queryByRole('button', { name: 'Show more licenses' })).toBeNull();
  });

  it('explains what a license is while there is none', async () => {
    renderScreen('/licenses', {
      responses: { 'GET /panel/licenses': licenses(), 'GET /panel/plans': plans() },
    });
    await screen.findByText(/^A license sets how many sites can connect\./);
  });

  it.each([
    ['warns 10 days before the expiry', 10, 1],
    ['does not warn 40 days before the expiry', 40, 0],
  ])('%s', async (_, days, marks) => {
    renderScreen('/licenses?plan=ending', {
      responses: {
        'GET /panel/licenses': licenses(licenseSummary({ expires_at: inDays(days) })),
        'GET /panel/plans': plans(plan('Ending')),
      },
    });
    await screen.findByRole('link', { name: 'Agency …C38HP5' });
    expect(screen.queryAllByRole('img', { name: 'Expires soon:' })).toHaveLength(marks);
  });

  it('shows the plan and the expiry on a phone', async () => {
    const { matchMedia } = window;
    vi.stubGlobal('matchMedia', (query: string) => ({
      ...matchMedia(query),
      matches: query === '(max-width: 699px)' || matchMedia(query).matches,
    }));
    renderScreen('/licenses', {
      responses: {
        'GET /panel/licenses': licenses(
          licenseSummary({ expires_at: inDays(10.5) }),
          licenseSummary({ id: 2, key_last_six: 'AAAAA2', expires_at: inDays(-3.5) }),
          licenseSummary({ id: 3, key_last_six: 'AAAAA3' }),
        ),
        'GET /panel/plans': plans(),
      },
    });
    const link = await screen.findByRole('link', { name: 'Agency …C38HP5' });
    const cellOf = (element: HTMLElement) => element.closest('td') as HTMLElement;
    expect(cellOf(link).textContent).toMatch(/Expires in 10 d$/);
    within(cellOf(link)).getByRole('img', { name: 'Expires soon:' });
    expect(cellOf(screen.getByRole('link', { name: /AAAAA2/ })).textContent).toMatch(
      /Expired 3 d ago$/,
    );
    expect(cellOf(screen.getByRole('link', { name: /AAAAA3/ })).textContent).toBe('Agency …AAAAA3');
    expect(screen.queryByRole('columnheader', { name: 'Expires' })).toBeNull();
    await expectAccessible('licenses on a phone');
  });
});
