import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { licenses, plan, plans, SERVICES } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

describe('the services', () => {
  it('are listed with what they are for, also while there is no plan', async () => {
    renderScreen('/services', {
      answers: { 'GET /api/v1/services': SERVICES, 'GET /panel/plans': plans() },
    });
    await screen.findByText(/There is no plan yet/);
    const catalogue = screen.getByRole('list', { name: 'Catalogue' });
    const service = within(within(catalogue).getByRole('listitem'));
    service.getByText('Remote management');
    service.getByText(/Update plugins, themes and core from the panel/);
    service.getByText('Version 1.0.0');
    service.getByText('In no plan');
  });

  it('are listed for owners with the plans that have them', async () => {
    const { user, address, panel } = renderScreen('/services', {
      answers: {
        'GET /api/v1/services': SERVICES,
        'GET /panel/plans': plans(plan('Agency', 50, 1), plan('Free', null, 2)),
        'GET /panel/licenses': licenses(),
      },
    });
    const list = await screen.findByRole('list', { name: 'Catalogue' });
    await within(within(list).getByRole('listitem')).findByText('In Agency, Free');
    const table = within(await screen.findByRole('table', { name: 'Plans' }));
    table.getByRole('row', { name: 'Agency 50 sites Remote management' });
    table.getByRole('row', { name: 'Free Unlimited Remote management' });
    await expectAccessible('services');

    await user.click(table.getByRole('link', { name: 'Agency' }));
    await screen.findByRole('heading', { name: 'Licenses' });
    expect(address()).toBe('/licenses?plan=agency');
    expect(panel.requests('GET /panel/licenses')[0]?.query).toEqual({ plan: 'agency' });
    await user.click(screen.getByRole('link', { name: 'Services' }));
    await screen.findByRole('heading', { name: 'Plans' });
  });

  it('are seen by viewers without the plans', async () => {
    const { panel } = renderScreen('/services', {
      as: 'viewer',
      answers: { 'GET /api/v1/services': SERVICES },
    });
    await screen.findByText('Remote management');
    expect(screen.queryByRole('heading', { name: 'Plans' })).toBeNull();
    expect(panel.requests('GET /panel/plans')).toEqual([]);
  });

  it('may be none, and the page says so', async () => {
    renderScreen('/services', {
      answers: {
        'GET /api/v1/services': { success: true, services: [] },
        'GET /panel/plans': plans(),
      },
    });
    await screen.findByRole('heading', { name: 'The catalogue is empty' });
  });
});
