import type { SoftwareVersion, VersionHealth } from '@steward/contract';
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { renderScreen } from '../../../test/render-screen.tsx';
import { softwareDetails, versionHealth } from '../../../test/software-fixtures.ts';

const TODAY = new Date().toISOString().slice(0, 10);
const versionOf = (version: string, health: Partial<VersionHealth>): SoftwareVersion => ({
  ...{ version, sites: 12, active_sites: 12, outdated_sites: 0, offers: [] },
  health: versionHealth(health),
});
const FAILING = versionOf('4.0.2', {
  ...{ sites: 12, sites_reporting: 10, sites_with_errors: 4, sites_failing: 3, errors: 1300 },
  error_free_percent: 60,
  common_facts: [{ kind: 'php', value: '8.3', name: 'PHP 8.3' }],
  days: [{ day: TODAY, sites: 4, errors: 1300 }],
});
const BEFORE = versionOf('4.0.1', {
  ...{ sites: 30, sites_reporting: 20, sites_with_errors: 1, errors: 5, error_free_percent: 95 },
  days: [{ day: TODAY, sites: 1, errors: 5 }],
});
const OLD = versionOf('3.9', { sites: 2, sites_reporting: 2, error_free_percent: 100 });
const WITHOUT_REPORTS = versionOf('3.0', { sites: 1 });

const render = (...versions: SoftwareVersion[]) =>
  renderScreen('/software/item?type=plugin&slug=shop', {
    responses: { 'GET /panel/software/item': softwareDetails({ versions }) },
  });
const findHealth = async () =>
  within(await screen.findByRole('region', { name: 'Errors on real requests' }));
const readRows = (table: HTMLElement) =>
  within(table)
    .getAllByRole('row')
    .map((row) => [...row.children].map(({ textContent }) => textContent));

describe('the health of versions', () => {
  it('names failing versions with what their sites have in common, and lists the numbers', async () => {
    render(FAILING, BEFORE, WITHOUT_REPORTS);
    const health = await findHealth();
    health.getByText('4.0.2 fails on 3 of 12 sites, all with PHP 8.3.');
    expect(readRows(health.getByRole('table', { name: 'Errors on real requests' }))).toEqual([
      ['Version', 'Sites', 'Reporting', 'With errors', 'Errors', 'Error-free'],
      ['4.0.2', '12', '10', '4', '1,300', '60 %'],
      ['4.0.1', '30', '20', '1', '5', '95 %'],
      // Without reports, it is unknown whether a version has errors.
      ['3.0', '1', '0', '0', '0', 'unknown'],
    ]);
    await expectAccessible('health of versions');
  });

  it('plots the errors per site and day against the version before', async () => {
    const { user } = render(FAILING, BEFORE, OLD);
    const health = await findHealth();
    const chart = () =>
      readRows(health.getByRole('table', { name: 'Errors per reporting site and day' }));
    expect(chart()[0]).toEqual(['Day', '4.0.2', '4.0.1']);
    expect(chart()[1]?.slice(1)).toEqual(['130', '0.25']);
    await user.click(health.getByRole('combobox', { name: 'Version' }));
    await user.click(await screen.findByRole('option', { name: '4.0.1' }));
    expect(chart()[0]).toEqual(['Day', '4.0.1', '3.9']);
    expect(chart()[1]?.slice(1)).toEqual(['0.25', '0']);
  });

  it('shows no chart without errors', async () => {
    render(OLD);
    const health = await findHealth();
    expect(health.getAllByRole('table')).toHaveLength(1);
  });

  it('states that no site has reported', async () => {
    render(WITHOUT_REPORTS);
    const health = await findHealth();
    health.getByText(/^Error reports from these sites are missing/);
    expect(health.queryByRole('table')).toBeNull();
  });
});
