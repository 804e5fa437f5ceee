import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import {
  inDays,
  licenseSummary,
  licenses,
  NO_TAGS,
  overview,
  overviewOfOne,
  plans,
  siteItem,
  sites,
} from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

const FIVE_SECONDS_MS = 5000;

describe('OverviewPage without sites', () => {
  it.each(['manager', 'viewer'] as const)('tells a %s to ask an owner', async (role) => {
    renderScreen('/', {
      role,
      responses: { 'GET /panel/overview': overview({ expiring_licenses: null }) },
    });
    await screen.findByRole('heading', { name: 'You have no sites yet' });
    screen.getByText(/Ask the owner who invited you\./);
    expect(screen.queryByRole('button', { name: /Create license/ })).toBeNull();
    await expectAccessible('no sites granted');
  });

  it('is the target of the link in the empty site list', async () => {
    const { click, address } = renderScreen('/sites', {
      responses: {
        'GET /panel/sites': sites([]),
        'GET /panel/tags': NO_TAGS,
        'GET /panel/overview': overview(),
        'GET /panel/licenses': licenses(),
      },
    });
    await screen.findByRole('heading', { name: 'No site is connected yet' });
    await click('Show me how', 'link');
    await screen.findByRole('heading', { name: 'Create a license' });
    expect(address()).toBe('/');
  });
});

describe('OverviewPage of an owner', () => {
  it('shows the three steps with a license, until the first site connects', async () => {
    const { panel } = renderScreen('/', {
      responses: {
        'GET /panel/overview': overview(),
        'GET /panel/licenses': licenses(licenseSummary()),
        'GET /panel/sites': sites([siteItem()]),
      },
    });
    await screen.findByText('Waiting for your first site');
    screen.getByRole('link', { name: 'Agency …C38HP5' });
    for (const name of ['Create a license', 'Install the plugin', 'Connect']) {
      screen.getByRole('heading', { name });
    }
    panel.setResponses({ 'GET /panel/overview': overviewOfOne() });
    await screen.findByText(/Your first site is connected/, {}, { timeout: FIVE_SECONDS_MS });
    expect(screen.queryByRole('heading', { name: 'Install the plugin' })).toBeNull();
  });

  it('shows each new site within 5 seconds', async () => {
    const { panel } = renderScreen('/', { responses: { 'GET /panel/overview': overviewOfOne() } });
    await screen.findByRole('link', { name: 'Show 1 site with pending updates' });
    const { sites: counts } = overviewOfOne().overview;
    panel.setResponses({
      'GET /panel/overview': overviewOfOne({ sites: { ...counts, total: 2, with_updates: 2 } }),
    });
    await screen.findByText('2 sites', {}, { timeout: FIVE_SECONDS_MS });
  });
});

describe('OverviewPage with sites', () => {
  const expiring = (number: number) =>
    Array.from({ length: number }, (_, index) => ({
      id: index + 1,
      key_last_six: `AAAA0${index}`,
      plan: 'Team',
      expires_at: inDays(5),
      sites_used: 0,
    }));

  it('links to the licenses beyond the first eight', async () => {
    const { click, address } = renderScreen('/', {
      responses: {
        'GET /panel/overview': overviewOfOne({ expiring_licenses: expiring(9) }),
        'GET /panel/licenses': licenses(),
        'GET /panel/plans': plans(),
      },
    });
    const section = await screen.findByRole('region', { name: 'Licenses that expire soon' });
    expect(within(section).getAllByRole('listitem')).toHaveLength(8);
    within(section).getByRole('link', { name: 'Team …AAAA00' });
    await click('And 1 more', 'link');
    await screen.findByRole('heading', { name: 'Licenses' });
    expect(address()).toBe('/licenses');
  });

  it('shows a viewer the granted sites, without licenses and actions', async () => {
    renderScreen('/', {
      role: 'viewer',
      responses: { 'GET /panel/overview': overviewOfOne({ expiring_licenses: null }) },
    });
    await screen.findByRole('link', { name: 'Show 1 site with pending updates' });
    expect(screen.getAllByText('1 site').length).toBeGreaterThan(0);
    expect(screen.queryByRole('region', { name: /Licenses/ })).toBeNull();
    expect(screen.queryByRole('link', { name: /Licenses/ })).toBeNull();
    await expectAccessible('overview of a viewer');
  });
});

describe('the audit warning', () => {
  it.each([
    ['alarm', 'Audit records may have been changed or removed'],
    ['notice', 'Check the audit log'],
  ] as const)('shows the problem and the next step: %s', async (severity, title) => {
    const message = 'Audit records after record 8 are missing. First missing: record 9.';
    renderScreen('/', {
      responses: {
        'GET /panel/overview': overviewOfOne({
          audit_warning: { severity, record_id: 9, message },
        }),
      },
    });
    const alert = await screen.findByRole('alert');
    within(alert).getByText(title);
    within(alert).getByText(message);
    within(alert).getByText('npx steward audit verify');
    within(alert).getByRole('link', { name: 'View audit log' });
    await expectAccessible(`audit ${severity}`);
  });

  it('is hidden when the audit log is intact', async () => {
    renderScreen('/', { responses: { 'GET /panel/overview': overviewOfOne() } });
    await screen.findByRole('region', { name: 'Pending updates' });
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
