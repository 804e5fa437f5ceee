import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import {
  inDays,
  licenses,
  NO_TAGS,
  overview,
  overviewOfOne,
  plans,
  sites,
} from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

describe('the overview before there is a site', () => {
  it.each(['manager', 'viewer'] as const)('tells a %s whom to ask', async (role) => {
    renderScreen('/', {
      as: role,
      answers: { 'GET /panel/overview': overview({ expiring_licenses: null }) },
    });
    await screen.findByRole('heading', { name: 'You have no sites yet' });
    screen.getByText(/Ask the person who invited you\./);
    expect(screen.queryByRole('button', { name: /Create license/ })).toBeNull();
    await expectAccessible('no sites granted');
  });

  it('is where the empty list of sites sends an owner', async () => {
    const { click, address } = renderScreen('/sites', {
      answers: {
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

describe('the overview with sites', () => {
  const ending = (number: number) =>
    Array.from({ length: number }, (_, index) => ({
      id: index + 1,
      key_last_six: `AAAA0${index}`,
      plan: 'Team',
      expires_at: inDays(5),
      sites_used: 0,
    }));

  it('leads to the licenses that it has no room for', async () => {
    const { click, address } = renderScreen('/', {
      answers: {
        'GET /panel/overview': overviewOfOne({ expiring_licenses: ending(9) }),
        'GET /panel/licenses': licenses(),
        'GET /panel/plans': plans(),
      },
    });
    const section = await screen.findByRole('region', { name: 'Licenses that expire soon' });
    expect(within(section).getAllByRole('listitem')).toHaveLength(8);
    await click('And 1 more', 'link');
    await screen.findByRole('heading', { name: 'Licenses' });
    expect(address()).toBe('/licenses');
  });

  it('shows a viewer the granted sites, no licenses, and nothing to act on', async () => {
    renderScreen('/', {
      as: 'viewer',
      answers: { 'GET /panel/overview': overviewOfOne({ expiring_licenses: null }) },
    });
    await screen.findByRole('link', { name: 'Show 1 site to update' });
    expect(screen.getAllByText('1 site').length).toBeGreaterThan(0);
    expect(screen.queryByRole('region', { name: /Licenses/ })).toBeNull();
    expect(screen.queryByRole('link', { name: /Licenses/ })).toBeNull();
    await expectAccessible('overview of a viewer');
  });
});

describe('a warning about the audit log', () => {
  it.each([
    ['alarm', 'The audit log was tampered with or set back'],
    ['notice', 'Check the audit log'],
  ] as const)('stands above everything else, with what to do: %s', async (severity, title) => {
    const message = 'Audit records are missing: record 9 is the first.';
    renderScreen('/', {
      answers: {
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

  it('is not there when the audit log is in order', async () => {
    renderScreen('/', { answers: { 'GET /panel/overview': overviewOfOne() } });
    await screen.findByRole('region', { name: 'Pending updates' });
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
