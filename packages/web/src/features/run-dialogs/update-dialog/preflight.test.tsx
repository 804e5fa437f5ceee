import type { Preflight, VersionWarning } from '@steward/contract';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../../test/axe.ts';
import type { PanelResponses } from '../../../../test/fake-panel.ts';
import {
  NO_TAGS,
  runOf,
  SHOP,
  siteDetails,
  siteItem,
  sites,
  task,
  users,
} from '../../../../test/panel-fixtures.ts';
import { findDialog, renderScreen } from '../../../../test/render-screen.tsx';
import { responsesFor } from '../../../../test/site-screen.ts';
import { offeredItem, updatePreview } from '../../../../test/software-fixtures.ts';

const run = runOf([task()]);
const at = (id: number, error: string) => ({ id, name: `${id}.example.com`, error, items: [] });
const READ_ONLY = 'This site does not allow file changes.';
const PREFLIGHT: Preflight = {
  groups: [
    {
      reason: 'file_changes_disabled',
      message: READ_ONLY,
      is_certain: true,
      site_ids: [1],
      partial_site_ids: [],
      sites: [at(1, READ_ONLY)],
    },
    {
      reason: 'disk_full',
      message: 'Not enough disk space.',
      is_certain: false,
      site_ids: [2],
      partial_site_ids: [],
      sites: [at(2, 'Not enough disk space: 3 MB are free.')],
    },
  ],
  warnings: [],
  certain_site_ids: [1],
  without_backup: { count: 1, sites: [{ id: 3, name: '3.example.com', backed_up_at: null }] },
  unchecked: { count: 0, sites: [] },
  checked: 3,
  not_found: 0,
};

describe('the update dialog', () => {
  it('leaves out sites that would fail, names the reasons, and includes them on request', async () => {
    const { user, panel, click, address } = renderScreen('/sites', {
      responses: {
        'GET /panel/sites': sites([1, 2, 3].map((id) => siteItem({ id }))),
        'GET /panel/tags': NO_TAGS,
        'POST /panel/sites/update-preview': updatePreview([offeredItem({ site_ids: [1, 2, 3] })]),
        'POST /panel/sites/preflight': { success: true, preflight: PREFLIGHT },
        'POST /remote/update': run,
        'GET /panel/runs/:id': run,
        'GET /panel/users': users(),
      },
    });
    await user.click(await screen.findByLabelText('Select the 3 loaded sites'));
    await click('Update 3 sites');
    const dialog = within(await findDialog('Update sites'));
    await dialog.findByRole('button', { name: 'Would fail on 1 site' });
    dialog.getByRole('button', { name: 'May fail on 1 site' });
    dialog.getByText(/3 MB are free/);
    dialog.getByRole('button', {
      name: '1 site reported no full backup in the last 24 hours',
    });
    expect(dialog.getByRole('link', { name: '1.example.com' }).getAttribute('href')).toBe(
      '/sites/1',
    );
    dialog.getByRole('button', { name: 'Update 2 sites' });
    await expectAccessible('preflight');
    await user.click(dialog.getByRole('checkbox', { name: 'Leave out 1 site that may fail' }));
    dialog.getByRole('button', { name: 'Update 1 site' });
    await user.click(dialog.getByRole('checkbox', { name: 'Leave out 1 site that would fail' }));
    await user.click(dialog.getByRole('button', { name: 'Update 2 sites' }));
    await waitFor(() => expect(address()).toBe('/runs/1'));
    expect(panel.requests('POST /remote/update')[0]?.body).toMatchObject({ site_ids: [1, 3] });
  });
});

const WARNING: VersionWarning = {
  ...{ type: 'plugin', slug: SHOP, name: 'Shop', version: '5.3', sites: 12, sites_failing: 3 },
  common_facts: [{ kind: 'php', value: '8.3', name: 'PHP 8.3' }],
  message: '5.3 fails on 3 of 12 sites, all with PHP 8.3.',
};
const WARNED: Preflight = { ...PREFLIGHT, groups: [], certain_site_ids: [], warnings: [WARNING] };

describe('a version that fails on other sites', () => {
  const openDialog = async (preview: PanelResponses['POST /panel/sites/update-preview']) => {
    const { user, click } = renderScreen('/sites', {
      responses: {
        'GET /panel/sites': sites([1, 2].map((id) => siteItem({ id }))),
        'GET /panel/tags': NO_TAGS,
        'POST /panel/sites/update-preview': preview ?? updatePreview([]),
        'POST /panel/sites/preflight': { success: true, preflight: WARNED },
      },
    });
    await user.click(await screen.findByLabelText('Select the 2 loaded sites'));
    await click('Update 2 sites');
    return within(await findDialog('Update sites'));
  };

  it('is named at its update, so that the user can leave it out', async () => {
    const dialog = await openDialog(
      updatePreview([offeredItem({ site_ids: [1], warning: WARNING })]),
    );
    await dialog.findByText(WARNING.message);
    await expectAccessible('warning of a version');
    expect(dialog.getAllByText(/fails on 3 of 12 sites/)).toHaveLength(1);
  });

  it('is named if the site cannot install selected updates', async () => {
    const preview = updatePreview([]);
    preview.preview.to_update.site_ids = [1];
    preview.preview.items_unsupported.site_ids = [1];
    const dialog = await openDialog(preview);
    await dialog.findByText(`Shop: ${WARNING.message}`);
  });

  it('is named on the page of a site that offers it', async () => {
    renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'POST /panel/sites/preflight': { success: true, preflight: WARNED },
      },
    });
    await screen.findByText('A pending version fails on other sites');
    screen.getByText(`Shop: ${WARNING.message}`);
  });
});

describe('the page of a site', () => {
  it('shows what would prevent updates', async () => {
    renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'POST /panel/sites/preflight': { success: true, preflight: PREFLIGHT },
      },
    });
    await screen.findByText('Updates would fail on this site');
    screen.getByText(READ_ONLY);
  });

  const phpTooOld = (isWholeSite: boolean) => ({
    reason: 'php_too_old' as const,
    message: 'PHP is too old for the new version.',
    is_certain: true,
    site_ids: isWholeSite ? [1] : [],
    partial_site_ids: isWholeSite ? [] : [1],
    sites: [at(1, 'Shop: The new version requires PHP 8.3; this site runs 8.1.')],
  });
  const busy = {
    reason: 'site_busy' as const,
    message: 'Another update is running.',
    is_certain: false,
    site_ids: [1],
    partial_site_ids: [],
    sites: [at(1, 'Another update is running.')],
  };

  it.each([
    [
      'one update fails for certain, and all may fail',
      [phpTooOld(true), busy],
      'Updates may fail on this site',
    ],
    [
      'only one update fails for certain',
      [phpTooOld(false)],
      'Some updates would fail on this site',
    ],
  ])('states how many updates would fail: %s', async (_, groups, title) => {
    renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'POST /panel/sites/preflight': {
          success: true,
          preflight: { ...PREFLIGHT, groups, certain_site_ids: [] },
        },
      },
    });
    await screen.findByText(title);
  });
});
