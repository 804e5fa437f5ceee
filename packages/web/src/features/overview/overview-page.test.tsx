import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import {
  licenseDetails,
  licenseSummary,
  licenses,
  NO_TAGS,
  overview,
  overviewOfOne,
  panelSettings,
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
    await screen.findByRole('heading', { name: 'Connect your first site' });
    screen.getByRole('button', { name: 'Create license' });
    expect(address()).toBe('/');
  });
});

describe('OverviewPage of an owner', () => {
  it('shows how to connect the first site with the license of a new panel, until it connects', async () => {
    const { panel } = renderScreen('/', {
      responses: {
        'GET /panel/overview': overview(),
        'GET /panel/licenses': licenses(licenseSummary()),
        'GET /panel/licenses/:id': licenseDetails(),
        'GET /panel/settings': panelSettings(),
        'GET /panel/sites': sites([siteItem()]),
      },
    });
    await screen.findByRole('heading', { name: 'Connect your first site' });
    await screen.findByRole('button', { name: 'Download plugin' });
    await screen.findByText('Waiting for the site to connect');
    screen.getByRole('link', { name: 'Connect many sites' });
    panel.setResponses({ 'GET /panel/overview': overviewOfOne() });
    await screen.findByText(/Your first site is connected/, {}, { timeout: FIVE_SECONDS_MS });
    expect(screen.queryByRole('heading', { name: 'Connect your first site' })).toBeNull();
  });

  it('shows each new site within 5 seconds', async () => {
    const { panel } = renderScreen('/', { responses: { 'GET /panel/overview': overviewOfOne() } });
    await screen.findByRole('link', { name: 'Pending updates on 1 site' });
    const { sites: counts } = overviewOfOne().overview;
    panel.setResponses({
      'GET /panel/overview': overviewOfOne({ sites: { ...counts, total: 2, with_updates: 2 } }),
    });
    await screen.findByText('2 sites', {}, { timeout: FIVE_SECONDS_MS });
  });
});

describe('the audit warning', () => {
  it.each([
    ['alarm', 'Audit records may have been changed or removed'],
    ['notice', 'The audit log needs maintenance'],
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
    // The message of a notice names its next step.
    const command = within(alert).queryByText('npx steward audit verify');
    expect(command !== null).toBe(severity === 'alarm');
    within(alert).getByRole('link', { name: 'View audit log' });
    await expectAccessible(`audit ${severity}`);
  });

  it('is hidden when the audit log is intact', async () => {
    renderScreen('/', { responses: { 'GET /panel/overview': overviewOfOne() } });
    await screen.findByRole('region', { name: 'Needs attention' });
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
