import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import {
  inDays,
  overview,
  overviewOfOne,
  runOf,
  SHOP,
  task,
  updatesByDay,
  users,
} from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';
import { siteIds, updatePreview } from '../../../test/software-fixtures.ts';
import { updateSummary } from '../../../test/update-summary.ts';

const expiring = (number: number) =>
  Array.from({ length: number }, (_, index) => ({
    id: index + 1,
    key_last_six: `AAAA0${index}`,
    name: null,
    plan: 'Team',
    expires_at: inDays(5),
    sites_used: 0,
  }));

const VERSIONS = {
  cms: {
    sites: 40,
    newest_version: '6.8.2',
    versions: [
      { version: '6.8.2', sites: 30 },
      { version: '6.7', sites: 8 },
    ],
    other_versions: 2,
  },
  php: {
    sites: 40,
    newest_version: '8.3',
    versions: [
      { version: '8.1', sites: 39 },
      { version: '8.3', sites: 1 },
    ],
    other_versions: 0,
  },
};

const { by_status } = overviewOfOne().overview.sites;

/** An overview with a row of each kind. */
const busy = () =>
  overview({
    sites: {
      total: 40,
      by_status: { ...by_status, alarm: 1, failing: 2, not_reachable: 3, stale: 4, updates: 1 },
      with_updates: 5,
    },
    pending: { plugins: 6, themes: 1, core: 0 },
    without_item_updates: 7,
    outdated_plugins: [{ plugin: SHOP, name: 'Shop', sites: 4 }],
    expiring_licenses: expiring(5),
    updates_by_day: updatesByDay({ succeeded: 1200, failed: 0 }, { succeeded: 8, failed: 3 }),
    versions: VERSIONS,
    halted_rollouts: [{ rollout_id: 7, name: 'Shop 5.3', reason: 'One site broke.' }],
  });

const findSection = (name: string) => screen.findByRole('region', { name });

describe('Needs attention', () => {
  it('does not claim an exact number of licenses if the panel may have left some out', async () => {
    const { overview: fields } = busy();
    const response = overview({ ...fields, expiring_licenses: expiring(50) });
    renderScreen('/', { responses: { 'GET /panel/overview': response } });
    const section = await findSection('Needs attention');
    within(section).getByText(/^At least 50 licenses expire within 30 days/);
    within(section).getByRole('link', { name: 'at least 47 more' });
  });

  it('lists problems by urgency, each with a link to its sites or licenses', async () => {
    renderScreen('/', {
      responses: {
        'GET /panel/overview': busy(),
        'POST /panel/sites/update-summary': updateSummary({ sites: 4, updates: 6 }),
      },
    });
    const section = await findSection('Needs attention');
    await within(section).findByRole('button', { name: 'Update 4 sites' });
    const rows = within(section).getAllByRole('listitem');
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      'Rollout halted: Shop 5.3. One site broke.',
      '3 sites are not reachableSync 3 sites',
      '1 site has an alarm',
      'The last action failed on 2 reachable sites',
      'No contact with 4 sites for at least 3 daysSync 4 sites',
      expect.stringMatching(
        /^5 licenses expire within 30 days: Team …AAAA00 in 4 d, .+, Team …AAAA02 in 4 d, 2 more$/,
      ),
      '7 sites have an old Steward plugin that can only install all updates at once. Update the plugin to choose single updates',
      'Pending updates on 5 sites 6 plugin updates, 1 theme updateUpdate 4 sites',
      'Shop outdated on 4 sitesView plugin',
    ]);
    const targets = within(section)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href'));
    const software = `/software/item?type=plugin&slug=${encodeURIComponent(SHOP)}`;
    expect(targets).toEqual([
      '/rollouts/7',
      '/sites?status=not_reachable',
      '/sites?status=alarm',
      '/sites?status=failing',
      '/sites?status=stale',
      '/licenses/1',
      '/licenses/2',
      '/licenses/3',
      '/licenses',
      '/sites?sort=plugin_version&order=asc',
      '/sites?pending=updatable',
      software,
      software,
    ]);
    await expectAccessible('overview with problems');
  });

  it('states that nothing needs attention', async () => {
    renderScreen('/', {
      responses: {
        'GET /panel/overview': overview({
          sites: {
            total: 1,
            by_status: { ...by_status, updates: 0, up_to_date: 1 },
            with_updates: 0,
          },
        }),
      },
    });
    const section = await findSection('Needs attention');
    within(section).getByText('Nothing needs your attention.');
    expect(within(section).queryByRole('listitem')).toBeNull();
    await screen.findByText('No updates in the last 30 days.');
    screen.getByText('No site has reported its versions yet.');
    screen.getByText('The results of updates appear here, day by day.');
    await expectAccessible('overview without problems');
  });

  it('shows a viewer the problems without licenses and actions', async () => {
    const { overview: fields } = busy();
    renderScreen('/', {
      role: 'viewer',
      responses: { 'GET /panel/overview': overview({ ...fields, expiring_licenses: null }) },
    });
    const section = await findSection('Needs attention');
    expect(within(section).getAllByRole('listitem')).toHaveLength(8);
    expect(within(section).queryByRole('button')).toBeNull();
    expect(within(section).queryByRole('link', { name: /^Update|license/ })).toBeNull();
    await expectAccessible('overview of a viewer');
  });

  it('syncs the sites that are not reachable and opens the run', async () => {
    const { click, panel, address } = renderScreen('/', {
      responses: {
        'GET /panel/overview': busy(),
        'GET /panel/sites/ids': {
          success: true,
          site_ids: [4, 5, 6],
          is_complete: true,
          pending: { plugins: 0, themes: 0, core: 0 },
        },
        'POST /panel/sites/sync': runOf([task()], { run_id: 9, kind: 'sync' }),
        'GET /panel/runs/:id': runOf([task()], { run_id: 9, kind: 'sync' }),
        'GET /panel/users': users(),
      },
    });
    await findSection('Needs attention');
    await click('Sync 3 sites');
    await screen.findByRole('heading', { name: /^Sync of/ });
    expect(address()).toBe('/runs/9');
    expect(panel.requests('GET /panel/sites/ids')[0]?.query).toEqual({ status: 'not_reachable' });
    expect(panel.requests('POST /panel/sites/sync')[0]?.body).toEqual({ site_ids: [4, 5, 6] });
  });

  it.each(['Sync 3 sites', 'Update 1 site'])(
    'states that a run includes only the first sites: %s',
    async (button) => {
      const { click } = renderScreen('/', {
        responses: {
          'GET /panel/overview': busy(),
          'GET /panel/sites/ids': { ...siteIds(1, 2), is_complete: false },
          'POST /panel/sites/update-preview': updatePreview([]),
          'POST /panel/sites/sync': runOf([task()], { run_id: 9, kind: 'sync' }),
          'GET /panel/runs/:id': runOf([task()], { run_id: 9, kind: 'sync' }),
          'GET /panel/users': users(),
        },
      });
      await findSection('Needs attention');
      await screen.findByRole('button', { name: button });
      await click(button);
      await screen.findByText(
        /A run can include at most 10,000 sites\. It includes the first 2 matches/,
      );
    },
  );
});

describe('the update of all sites', () => {
  it('is disabled if every update is held, and names and links the rule', async () => {
    const explanation = 'Held: updates are not allowed. Rule: all plugins on all sites.';
    const hold = { reason: 'never', rule_id: 4, explanation } as const;
    const { panel } = renderScreen('/', {
      responses: {
        'GET /panel/overview': busy(),
        'POST /panel/sites/update-summary': updateSummary({
          held_updates: 7,
          left_out: [{ reason: 'held_version', sites: 5, hold }],
        }),
      },
    });
    const section = within(await findSection('Needs attention'));
    const link = await section.findByRole('link', { name: 'View rule' });
    expect(link.getAttribute('href')).toBe('/rules?rule=4');
    const button = section.getByRole<HTMLButtonElement>('button', { name: 'Update sites' });
    expect(blockedReason(button)).toContain(explanation);
    expect(panel.requests('POST /panel/sites/update-summary')[0]?.body).toEqual({
      selection: { pending: 'updatable' },
    });
    await expectAccessible('held updates');
  });

  it('says why it leaves out sites', async () => {
    const explanation = 'Held: only patch versions are allowed. Rule: all plugins on all sites.';
    const hold = { reason: 'level', rule_id: 4, explanation } as const;
    renderScreen('/', {
      responses: {
        'GET /panel/overview': busy(),
        'POST /panel/sites/update-summary': updateSummary({
          sites: 3,
          left_out: [
            { reason: 'held_version', sites: 5, hold },
            { reason: 'license_invalid', sites: 1 },
          ],
        }),
      },
    });
    await screen.findByRole('button', { name: 'Update 3 sites' });
    screen.getByText(`Leaves out 5 sites: ${explanation} 1 site: license not valid`);
  });
});

describe('sites without a valid license', () => {
  const overview = () => {
    const all = busy();
    all.overview.sites.by_status = { ...all.overview.sites.by_status, license_invalid: 3 };
    return all;
  };

  it.each([
    ['owner' as const, 'Open a site to resume or extend its license.'],
    ['manager' as const, 'Ask an owner to resume or extend it.'],
  ])('are listed with the next step for the role %s', async (role, step) => {
    renderScreen('/', { role, responses: { 'GET /panel/overview': overview() } });
    const section = within(await findSection('Needs attention'));
    const link = section.getByRole('link', {
      name: 'The license of 3 sites is suspended or has expired',
    });
    expect(link.getAttribute('href')).toBe('/sites?status=license_invalid');
    section.getByText(step);
  });

  it('are named and linked beside an update that they block', async () => {
    const left_out = [{ reason: 'license_invalid' as const, sites: 5 }];
    renderScreen('/', {
      responses: {
        'GET /panel/overview': busy(),
        'POST /panel/sites/update-summary': updateSummary({ left_out }),
      },
    });
    const section = within(await findSection('Needs attention'));
    await section.findByText(/^The license of 5 sites is suspended or has expired\. An owner can/);
    const link = section.getByRole('link', { name: 'Show these sites' });
    expect(link.getAttribute('href')).toBe('/sites?pending=updatable&status=license_invalid');
  });
});

describe('Updates in the last 30 days', () => {
  it('gives the numbers of each day to screen readers', async () => {
    renderScreen('/', { responses: { 'GET /panel/overview': busy() } });
    const section = await findSection('Updates in the last 30 days');
    within(section).getByText('1,208 succeeded');
    within(section).getByText('3 failed');
    const table = within(section).getByRole('table', { name: 'Updates per day' });
    const rows = within(table).getAllByRole('row').slice(1);
    expect(rows.map((row) => [...row.children].map(({ textContent }) => textContent))).toEqual([
      ['Jun 29', '1,200', '0'],
      ['Jun 30', '8', '3'],
    ]);
  });
});

describe('Versions in use', () => {
  it('links CMS versions to their sites and PHP to the sorted list', async () => {
    renderScreen('/', { responses: { 'GET /panel/overview': busy() } });
    const section = await findSection('Versions in use');
    within(section).getByRole('img', {
      name: /^6\.8\.2 on 30 sites, 6\.7 on 8 sites, 2 other versions on 2 sites$/,
    });
    expect(within(section).getByRole('link', { name: '6.7' }).getAttribute('href')).toBe(
      '/sites?software_type=core&software=core&software_version=6.7',
    );
    expect(within(section).getByRole('link', { name: 'PHP' }).getAttribute('href')).toBe(
      '/sites?sort=php_version&order=asc',
    );
  });
});
