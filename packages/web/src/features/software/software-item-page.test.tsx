import type { UpdateRule } from '@steward/contract';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import {
  MOMENT,
  NO_TAGS,
  runOf,
  SHOP,
  siteItem,
  sites,
  task,
  users,
} from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';
import {
  offeredItem,
  siteIds,
  softwareDetails,
  softwarePage,
  updatePreview,
  versionHealth,
} from '../../../test/software-fixtures.ts';
import { updateSummary } from '../../../test/update-summary.ts';

const PAGE = `/software/item?type=plugin&slug=${encodeURIComponent(SHOP)}`;
const HELD = {
  version: '5.3',
  hold: { reason: 'waiting', rule_id: 5, explanation: 'Held: waits 7 days, until 6 June 2026.' },
} as const;
const cellsOf = (row: HTMLElement | undefined) =>
  row &&
  within(row)
    .getAllByRole('cell')
    .map((cell) => cell.textContent);

describe('the page of a plugin', () => {
  it('leads to the quarantine of a version instead of offering to hold it again', async () => {
    const explanation = 'Held: this version is quarantined.';
    const quarantined = { version: '5.3', hold: { reason: 'quarantined' as const, explanation } };
    renderScreen(PAGE, {
      responses: { 'GET /panel/software/item': softwareDetails({ holds: [quarantined] }) },
    });
    await screen.findByRole('heading', { name: 'Shop' });
    const [, newest, older] = screen.getAllByRole('row');
    expect(cellsOf(newest)?.at(-1)).toBe('View quarantine');
    expect(cellsOf(older)?.at(-1)).toBe('Hold this version');
  });

  it('shows its counts and versions', async () => {
    const { panel } = renderScreen(PAGE, {
      responses: { 'GET /panel/software/item': softwareDetails({ holds: [HELD] }) },
    });
    await screen.findByRole('heading', { name: 'Shop' });
    const holds = within(screen.getByRole('region', { name: 'Held versions' }));
    holds.getByText(/waits 7 days/);
    expect(holds.getByRole('link', { name: 'View rule' }).getAttribute('href')).toBe(
      '/rules?rule=5',
    );
    screen.getByText(SHOP);
    screen.getByText('On 38 sites, active on 30');
    screen.getByText('Newest version: 5.3');
    const [, newest, older] = screen.getAllByRole('row');
    expect(cellsOf(newest)).toEqual(['5.3newest', '30', '26', 'none', 'none', 'Hold this version']);
    expect(cellsOf(older)).toEqual(['5.2', '8', '4', '8', '5.3', 'Hold this version']);
    expect(panel.requests('GET /panel/software/item')[0]?.query).toEqual({
      type: 'plugin',
      slug: SHOP,
    });
    await expectAccessible('page of a plugin');
  });

  it('lists its sites, and those of one version', async () => {
    const installed = { version: '5.2', new_version: '5.3', active: true, changed_at: MOMENT };
    const held = {
      reason: 'waiting',
      explanation: 'Held: waits 7 days, until 6 June 2026.',
    } as const;
    const { click, panel, address, user } = renderScreen(PAGE, {
      responses: {
        'GET /panel/software/item': softwareDetails(),
        'GET /panel/sites': sites([
          siteItem({ id: 1, name: 'a.example', installed: { ...installed, hold: held } }),
          siteItem({ id: 2, name: 'b.example', installed: { ...installed, health: 'troubled' } }),
        ]),
      },
    });
    const all = await screen.findByRole('link', { name: 'View in Sites' });
    expect(all.getAttribute('href')).toBe('/sites?software_type=plugin&software=shop%2Fshop.php');
    const table = within(await screen.findByRole('grid'));
    const [, first, second] = table.getAllByRole('row');
    expect(first?.textContent).toMatch(/5\.2 →.*5\.3Active/);
    expect(first?.textContent).toContain('Held');
    expect(second?.textContent).toContain('Troubled');
    await expectAccessible('sites of a plugin');

    await click('5.2', 'link');
    await screen.findByText('Only 5.2');
    expect(address()).toContain('version=5.2');
    const filters = { software_type: 'plugin', software: SHOP, software_version: '5.2' };
    expect(panel.requests('GET /panel/sites').at(-1)?.query).toMatchObject(filters);
    await click('Show all versions');
    await user.click(screen.getByRole('radio', { name: 'Outdated' }));
    await waitFor(() => expect(address()).toContain('outdated=true'));
    expect(address()).not.toContain('version=');
  });

  it('acts on selected sites, with this item only', async () => {
    const installed = { version: '5.2', new_version: '5.3', active: true, changed_at: MOMENT };
    const { click, panel, user } = renderScreen(PAGE, {
      responses: {
        'GET /panel/software/item': softwareDetails(),
        'GET /panel/sites': sites([siteItem({ id: 7, name: 'a.example', installed })]),
      },
    });
    await user.click(await screen.findByRole('checkbox', { name: /Select a\.example/ }));
    const bar = within(await screen.findByRole('region', { name: /selected sites/i }));
    await bar.findByText('1 site selected');
    await waitFor(() =>
      expect(panel.requests('POST /panel/sites/update-summary').at(-1)?.body).toMatchObject({
        site_ids: [7],
        items: [{ type: 'plugin', slug: SHOP }],
      }),
    );
    await click('Manage Shop');
    await screen.findByRole('menuitem', { name: /Deactivate/ });
  });

  it('lists several offered updates, and counts versions that are not shown', async () => {
    const offers = [
      { new_version: '5.3', sites: 6 },
      { new_version: '5.2.1', sites: 1 },
    ];
    const counts = { sites: 8, active_sites: 0, outdated_sites: 7 };
    const version = { version: '5.2', ...counts, offers, health: versionHealth() };
    renderScreen(PAGE, {
      responses: {
        'GET /panel/software/item': softwareDetails({ versions: [version], other_versions: 3 }),
      },
    });
    await screen.findByText('5.3 on 6 sites, 5.2.1 on 1 site');
    screen.getByText('3 older versions not shown.');
  });

  it.each([
    ['plugin', 'software_not_found'],
    ['odd', 'invalid_request'],
  ] as const)('reports a missing %s, and links to the list', async (type, code) => {
    const { click, address } = renderScreen(`/software/item?type=${type}&slug=gone`, {
      responses: {
        'GET /panel/software/item': errorResponse(code),
        'GET /panel/software': softwarePage([]),
      },
    });
    await screen.findByRole('heading', { name: 'There is no such plugin' });
    await expectAccessible('no such plugin');
    await click('Go to the plugins', 'link');
    await screen.findByRole('heading', { name: 'Software' });
    expect(address()).toBe('/software?type=plugin');
  });

  it('retries after an error', async () => {
    const { panel, click } = renderScreen(PAGE, {
      responses: {
        'GET /panel/software/item': errorResponse('forbidden', { error: 'Not this time.' }),
      },
    });
    await screen.findByText('Not this time.');
    panel.setResponses({ 'GET /panel/software/item': softwareDetails() });
    await click('Retry');
    await screen.findByRole('heading', { name: 'Shop' });
  });
});

describe('the page of core', () => {
  it('has no active sites, because core is active everywhere', async () => {
    renderScreen('/software/item?type=core&slug=core', {
      responses: {
        'GET /panel/software/item': softwareDetails({ type: 'core', slug: 'core', name: 'Core' }),
      },
    });
    await screen.findByText('On 38 sites');
    const heads = screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
    expect(heads).toEqual(['Version', 'Sites', 'Outdated', 'Offered update', 'Actions']);
    const back = within(screen.getByRole('main')).getByRole('link', { name: 'Core' });
    expect(back.getAttribute('href')).toBe('/software?type=core');
  });
});

describe('the update of outdated sites', () => {
  it('opens the preview for these sites, and starts only the update of this plugin', async () => {
    const run = runOf([task()]);
    const forms = offeredItem({ slug: 'forms/forms.php', name: 'Forms' });
    const { user, panel, click, address } = renderScreen(PAGE, {
      role: 'manager',
      responses: {
        'GET /panel/software/item': softwareDetails(),
        'GET /panel/sites/ids': siteIds(1, 2),
        'POST /panel/sites/update-summary': updateSummary({ sites: 2, updates: 2 }),
        'POST /panel/sites/update-preview': updatePreview([offeredItem(), forms]),
        'POST /remote/update': run,
        'GET /panel/runs/:id': run,
        'GET /panel/users': users(),
      },
    });
    await screen.findByRole('button', { name: 'Update on 2 sites' });
    await click('Update on 2 sites');
    const dialog = within(await findDialog('Update sites'));
    await dialog.findByRole('checkbox', { name: 'Shop' });
    expect(dialog.queryByRole('checkbox', { name: 'Forms' })).toBeNull();
    expect(panel.requests('GET /panel/sites/ids').map(({ query }) => query)).toEqual([
      { software_type: 'plugin', software: SHOP, software_outdated: 'true' },
    ]);
    await expectAccessible('update of a plugin');
    await user.click(dialog.getByRole('button', { name: 'Update 2 sites' }));
    await waitFor(() => expect(address()).toBe('/runs/1'));
    expect(panel.requests('POST /remote/update').map(({ body }) => body)).toEqual([
      { site_ids: [1, 2], items: [{ type: 'plugin', slug: SHOP, version: '5.3' }] },
    ]);
  });

  it('can be cancelled and opened again', async () => {
    const { user, panel, click } = renderScreen(PAGE, {
      responses: {
        'GET /panel/software/item': softwareDetails(),
        'GET /panel/sites/ids': siteIds(1),
        'POST /panel/sites/update-summary': updateSummary({ sites: 2, updates: 2 }),
        'POST /panel/sites/update-preview': updatePreview([offeredItem({ site_ids: [1] })]),
      },
    });
    await screen.findByRole('button', { name: 'Update on 2 sites' });
    await click('Update on 2 sites');
    const dialog = within(await findDialog('Update sites'));
    await user.click(await dialog.findByRole('button', { name: 'Cancel' }));
    await expectDialogClosed();
    await click('Update on 2 sites');
    await findDialog('Update sites');
    expect(panel.requests('GET /panel/sites/ids')).toHaveLength(2);
  });

  it('reports that the sites were updated meanwhile', async () => {
    const { panel, click } = renderScreen(PAGE, {
      responses: {
        'GET /panel/software/item': softwareDetails(),
        'GET /panel/sites/ids': siteIds(),
        'POST /panel/sites/update-summary': updateSummary({ sites: 2, updates: 2 }),
      },
    });
    await screen.findByRole('button', { name: 'Update on 2 sites' });
    panel.setResponses({ 'GET /panel/software/item': softwareDetails({ outdated_sites: 0 }) });
    await click('Update on 2 sites');
    await screen.findByText('No site has a pending update of this software anymore.');
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Update on/ })).toBeNull());
  });

  it('is not offered to viewers', async () => {
    renderScreen(PAGE, {
      role: 'viewer',
      responses: { 'GET /panel/software/item': softwareDetails() },
    });
    await screen.findByRole('link', { name: 'View in Sites' });
    expect(screen.queryByRole('button', { name: /^Update on/ })).toBeNull();
  });

  it('is not offered if no site is outdated', async () => {
    renderScreen(PAGE, {
      responses: { 'GET /panel/software/item': softwareDetails({ outdated_sites: 0 }) },
    });
    await screen.findByRole('link', { name: 'View in Sites' });
    expect(screen.queryByRole('button', { name: /^Update on/ })).toBeNull();
  });
});

describe('the hold of a version', () => {
  const VERSIONS = {
    success: true as const,
    versions: [
      {
        ...{ version: '5.3', installed_sites: 30, offered_sites: 8, saved_sites: 0 },
        has_package: false,
      },
      {
        ...{ version: '5.2', installed_sites: 8, offered_sites: 0, saved_sites: 2 },
        has_package: true,
      },
    ],
  };
  const responses = {
    'GET /panel/software/item': softwareDetails(),
    'GET /panel/software/versions': VERSIONS,
    'GET /panel/rules': { success: true as const, rules: [] },
    'GET /panel/tags': NO_TAGS,
    'POST /panel/rules/preview': { success: true as const, sites: 38 },
  };

  it('chooses from the known versions and creates a rule', async () => {
    const { user, panel, click } = renderScreen(PAGE, {
      responses: { ...responses, 'POST /panel/rules': { success: true, rule: rule() } },
    });
    await screen.findByRole('button', { name: 'Hold this version: Shop 5.2' });
    await click('Hold this version: Shop 5.2');
    const dialog = within(await findDialog('Hold this version'));
    await dialog.findByText('installed on 8 sites, saved on 2 sites, uploaded');
    dialog.getByText('Keep the plugin Shop on all sites at version 5.2 or older.');
    await expectAccessible('hold of a version');
    await user.click(dialog.getByRole('combobox', { name: /^Version/ }));
    await user.click(await screen.findByRole('option', { name: /^5\.3/ }));
    await user.click(dialog.getByRole('button', { name: 'Hold version' }));
    await expectDialogClosed();
    expect(panel.requests('POST /panel/rules').map(({ body }) => body)).toEqual([
      { item_type: 'plugin', slug: SHOP, aspect: 'level', level: 'pin', version: '5.3', note: '' },
    ]);
  });

  it('changes the rule that already limits the same sites and items', async () => {
    const existing = rule({ level: 'minor', version: null });
    const { user, panel, click } = renderScreen(PAGE, {
      responses: {
        ...responses,
        'GET /panel/rules': { success: true, rules: [existing] },
        'PATCH /panel/rules/:id': { success: true, rule: rule() },
      },
    });
    await screen.findByRole('button', { name: 'Hold this version: Shop 5.2' });
    await click('Hold this version: Shop 5.2');
    const dialog = within(await findDialog('Hold this version'));
    await dialog.findByText(/^This replaces the rule: /);
    await user.click(dialog.getByRole('button', { name: 'Hold version' }));
    await expectDialogClosed();
    expect(panel.requests('PATCH /panel/rules/:id').map(({ path, body }) => [path, body])).toEqual([
      ['/panel/rules/3', { level: 'pin', version: '5.2', note: '', revision: 4 }],
    ]);
  });

  it('is offered to owners only', async () => {
    renderScreen(PAGE, { role: 'manager', responses });
    await screen.findByRole('link', { name: 'View in Sites' });
    expect(screen.queryByRole('button', { name: /^Hold this version/ })).toBeNull();
  });
});

const rule = (fields: Partial<UpdateRule> = {}): UpdateRule => ({
  ...{ id: 3, scope: 'fleet', tag: null, site_id: null, site_name: null },
  ...{ item_type: 'plugin', slug: SHOP, item_name: 'Shop', aspect: 'level', level: 'pin' },
  ...{ version: '5.2', days: null, hours: null, enabled: null, note: '', sites: 38 },
  ...{ created_by: 'Olive', created_at: MOMENT, revision: 4 },
  ...fields,
});
