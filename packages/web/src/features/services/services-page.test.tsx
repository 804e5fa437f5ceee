import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { licenses, plan, plans, SERVICES } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

describe('ServicesPage', () => {
  it('lists the services with their description, also services without a plan', async () => {
    renderScreen('/services', {
      responses: { 'GET /api/v1/services': SERVICES, 'GET /panel/plans': plans() },
    });
    await screen.findByText(/No plans yet/);
    const catalogue = screen.getByRole('list', { name: 'Available services' });
    const service = within(within(catalogue).getByRole('listitem'));
    service.getByText('Remote management');
    service.getByText(/Update plugins, themes and core from the panel/);
    service.getByText('Version 1.0.0');
    service.getByText('Not used by any plan');
  });

  it('shows owners the plans of each service', async () => {
    const { user, address, panel } = renderScreen('/services', {
      responses: {
        'GET /api/v1/services': SERVICES,
        'GET /panel/plans': plans(plan('Agency', 50, 1), plan('Free', null, 2)),
        'GET /panel/licenses': licenses(),
      },
    });
    const list = await screen.findByRole('list', { name: 'Available services' });
    await within(within(list).getByRole('listitem')).findByText('Included in Agency, Free');
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

  it('hides the plans and the entry in the rail from viewers', async () => {
    const { panel } = renderScreen('/services', {
      role: 'viewer',
      responses: { 'GET /api/v1/services': SERVICES },
    });
    await screen.findByText('Remote management');
    screen.getByText('Available services');
    expect(screen.queryByRole('link', { name: 'Services' })).toBeNull();
    expect(screen.queryByRole('heading', { name: 'Plans' })).toBeNull();
    expect(panel.requests('GET /panel/plans')).toEqual([]);
  });

  it('explains that there are no services', async () => {
    renderScreen('/services', {
      responses: {
        'GET /api/v1/services': { success: true, services: [] },
        'GET /panel/plans': plans(),
      },
    });
    await screen.findByRole('heading', { name: 'No services available' });
  });
});
