import type { RestorePreview, RunPreview } from '@steward/contract';
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import {
  MOMENT,
  NO_TAGS,
  overview,
  overviewOfOne,
  runOf,
  SHOP,
  siteItem,
  sites,
  task,
  users,
} from '../../../test/panel-fixtures.ts';
import { findDialog, renderScreen } from '../../../test/render-screen.tsx';
import { siteIds, softwareDetails, softwarePage } from '../../../test/software-fixtures.ts';

const run = runOf([task()]);
const runPage = { 'GET /panel/runs/:id': run, 'GET /panel/users': users() };
const ONE = { id: 1, name: 'one.example.com' };
const TWO = { id: 2, name: 'two.example.com' };
const OLD = { id: 3, name: 'old.example.com' };

const preview = (overrides: Partial<RunPreview> = {}): { success: true; preview: RunPreview } => ({
  success: true,
  preview: {
    site_ids: [1, 2],
    sites: [ONE, TWO],
    skipped: { count: 1, sites: [{ ...OLD, reason: 'site_plugin_outdated' }] },
    not_found: 0,
    ...overrides,
  },
});

const uploaded = {
  id: 9,
  type: 'plugin' as const,
  slug: 'form/form.php',
  name: 'The form',
  version: '1.5',
  requires: '6.2',
  requires_php: '8.1',
  sha256: 'a'.repeat(64),
  size: 1000,
  uploaded_by: 1,
  created_at: MOMENT,
};
const zip = () => new File(['zip'], 'form.zip', { type: 'application/zip' });

describe('the dialog that installs', () => {
  async function openDialog(responses: Parameters<typeof renderScreen>[1] = {}) {
    const view = renderScreen('/sites', {
      responses: {
        'GET /panel/sites': sites([
          siteItem({ id: 1, name: ONE.name }),
          siteItem(TWO),
          siteItem(OLD),
        ]),
        'GET /panel/tags': NO_TAGS,
        'POST /panel/packages': { success: true, package: uploaded },
        'POST /panel/sites/install-preview': preview(),
        'POST /panel/sites/install': run,
        ...runPage,
        ...responses.responses,
      },
    });
    await view.user.click(await screen.findByLabelText('Select the 3 loaded sites'));
    await view.click('More actions');
    await view.user.click(await screen.findByRole('menuitem', { name: 'Install…' }));
    const dialog = within(await findDialog('Install a plugin or theme'));
    const upload = () =>
      view.user.upload(document.querySelector('input[type="file"]') as HTMLInputElement, zip());
    return { ...view, dialog, upload };
  }

  it('shows what the zip contains and which sites are skipped, then opens the run', async () => {
    const { user, panel, dialog, upload, address } = await openDialog();
    const start = () => dialog.getByRole<HTMLButtonElement>('button', { name: /^Install on/ });
    expect(blockedReason(start())).not.toBeNull();
    await upload();
    await dialog.findByText('The form');
    dialog.getByText('1.5');
    dialog.getByText(/Plugin form\/form\.php/);
    dialog.getByText(/Requires WordPress 6\.2 and PHP 8\.1/);
    await dialog.findByText(/Steward plugin too old, or PHP extension sodium missing/);
    await expectAccessible('the dialog that installs');
    await user.click(dialog.getByRole('button', { name: 'Installs on 2 sites' }));
    await user.click(dialog.getByRole('checkbox', { name: 'Install on two.example.com' }));
    await user.click(dialog.getByRole('button', { name: 'Install on 1 site' }));
    await waitFor(() => expect(address()).toBe('/runs/1'));
    expect(panel.requests('POST /panel/sites/install').map(({ body }) => body)).toEqual([
      { site_ids: [1], packages: [9] },
    ]);
  });

  it('says how a site that already has the plugin gets the uploaded version', async () => {
    const skipped = { count: 1, sites: [{ ...OLD, reason: 'already_installed' as const }] };
    const { dialog, upload } = await openDialog({
      responses: {
        'POST /panel/sites/install-preview': preview({ site_ids: [], sites: [], skipped }),
      },
    });
    await upload();
    await dialog.findByText('It cannot be installed on any of these sites.');
    dialog.getByText(/^Steward never replaces an installed plugin .* upload the file in WordPress/);
  });

  it('shows why a file cannot be installed', async () => {
    const error = 'This file cannot be installed. It is not a zip file.';
    const { dialog, upload } = await openDialog({
      responses: { 'POST /panel/packages': errorResponse('invalid_package', { error }) },
    });
    await upload();
    await dialog.findByText(error);
    expect(blockedReason(dialog.getByRole('button', { name: /^Install on/ }))).not.toBeNull();
  });

  it('ignores an upload that ends after the user has changed the source', async () => {
    type Body = { success: true; package: typeof uploaded };
    const { promise, resolve } = Promise.withResolvers<Body>();
    const { user, panel, dialog, fill, upload, address } = await openDialog({
      responses: { 'POST /panel/packages': () => promise },
    });
    await upload();
    await user.click(dialog.getByText('From wordpress.org'));
    await fill(dialog.getByRole('textbox', { name: 'Slug' }), 'akismet');
    await fill(dialog.getByRole('textbox', { name: 'Version' }), '5.3.1');
    await dialog.findByRole('button', { name: 'Installs on 2 sites' });
    await act(async () => resolve({ success: true, package: uploaded }));
    await user.click(await dialog.findByRole('button', { name: 'Install on 2 sites' }));
    await waitFor(() => expect(address()).toBe('/runs/1'));
    expect(panel.requests('POST /panel/sites/install')[0]?.body).toEqual({
      site_ids: [1, 2],
      items: [{ type: 'plugin', slug: 'akismet', version: '5.3.1' }],
    });
  });

  it('installs from wordpress.org by slug and version', async () => {
    const { user, panel, dialog, fill, address } = await openDialog();
    await user.click(dialog.getByText('From wordpress.org'));
    await fill(dialog.getByRole('textbox', { name: 'Slug' }), 'Akismet');
    dialog.getByText('Use lowercase letters, digits and hyphens.');
    await fill(dialog.getByRole('textbox', { name: 'Slug' }), 'akismet');
    await fill(dialog.getByRole('textbox', { name: 'Version' }), '5.3.1');
    await user.click(await dialog.findByRole('button', { name: 'Install on 2 sites' }));
    await waitFor(() => expect(address()).toBe('/runs/1'));
    expect(panel.requests('POST /panel/sites/install')[0]?.body).toEqual({
      site_ids: [1, 2],
      items: [{ type: 'plugin', slug: 'akismet', version: '5.3.1' }],
    });
  });

  it('opens on the software page for all sites', async () => {
    const { click, panel } = renderScreen('/software', {
      responses: {
        'GET /panel/software': softwarePage([]),
        'GET /panel/tags': NO_TAGS,
        'GET /panel/sites/ids': siteIds(1, 2, 3),
      },
    });
    await screen.findByRole('heading', { name: 'Software' });
    await click('Install');
    const dialog = within(await findDialog('Install a plugin or theme'));
    await dialog.findByRole('button', { name: 'Install on 3 sites' });
    expect(panel.requests('GET /panel/sites/ids')[0]?.query).toEqual({});
  });
});

describe('the dialog that restores', () => {
  const restorePreview = (overrides: Partial<RestorePreview> = {}) => ({
    success: true as const,
    preview: {
      ...preview().preview,
      versions: [
        { version: '5.2', current_versions: ['5.3'], site_ids: [1] },
        { version: '5.1', current_versions: ['5.3'], site_ids: [1, 2] },
      ],
      ...overrides,
    },
  });
  async function openDialog(response = restorePreview()) {
    const view = renderScreen(`/software/item?type=plugin&slug=${encodeURIComponent(SHOP)}`, {
      responses: {
        'GET /panel/software/item': softwareDetails(),
        'GET /panel/sites/ids': siteIds(1, 2, 3),
        'POST /panel/sites/restore-preview': response,
        'POST /panel/sites/restore': run,
        ...runPage,
      },
    });
    await screen.findByRole('heading', { name: 'Shop' });
    await view.click('Restore previous version');
    return { ...view, dialog: within(await findDialog('Restore a previous version of Shop')) };
  }

  it('restores the previous version of each site, and warns about the database', async () => {
    const { user, panel, dialog, address } = await openDialog();
    await dialog.findByText(
      'A restore replaces files only. Changes in the database are not undone.',
    );
    dialog.getByText(/Steward plugin too old/);
    await expectAccessible('the dialog that restores');
    await user.click(dialog.getByRole('button', { name: 'Restore on 2 sites' }));
    await waitFor(() => expect(address()).toBe('/runs/1'));
    const [request] = panel.requests('POST /panel/sites/restore');
    expect(request?.body).toEqual({
      site_ids: [1, 2],
      items: ['5.2', '5.1'].map((version) => ({ type: 'plugin', slug: SHOP, version })),
    });
  });

  it('shows that no site has a saved version', async () => {
    const none = { site_ids: [], sites: [], versions: [] };
    const { dialog } = await openDialog(restorePreview(none));
    await dialog.findByText('No previous version can be restored on these sites.');
    const button = dialog.getByRole<HTMLButtonElement>('button', { name: 'Restore' });
    expect(blockedReason(button)).not.toBeNull();
  });
});

describe('the update of the Steward plugin', () => {
  it('starts on the overview, for the sites with an older plugin', async () => {
    const { user, panel, click, address } = renderScreen('/', {
      responses: {
        'GET /panel/overview': overview({
          sites: { ...overviewOfOne().overview.sites, total: 40 },
          older_steward_plugin: { sites: 3, shipped_version: '1.4.0' },
        }),
        'GET /panel/sites/ids': { ...siteIds(1, 2, 3), is_complete: false },
        'POST /panel/sites/self-update-preview': preview(),
        'POST /panel/sites/self-update': run,
        ...runPage,
      },
    });
    const link = await screen.findByRole('link', {
      name: 'The Steward plugin on 3 sites is older than 1.4.0, the version in this panel',
    });
    expect(link.getAttribute('href')).toBe('/sites?steward_plugin=outdated');
    await screen.findByRole('button', { name: 'Ask 2 sites to update' });
    await click('Ask 2 sites to update');
    await screen.findByText(/A run can include at most 10,000 sites/);
    const dialog = within(await findDialog('Update the Steward plugin'));
    await user.click(await dialog.findByRole('button', { name: 'Update on 2 sites' }));
    await waitFor(() => expect(address()).toBe('/runs/1'));
    expect(panel.requests('POST /panel/sites/self-update')[0]?.body).toEqual({ site_ids: [1, 2] });
  });

  it('has a filter in the list of sites', async () => {
    const { user, click, panel, address } = renderScreen('/sites?steward_plugin=outdated', {
      responses: {
        'GET /panel/sites': sites([siteItem({ id: 1, name: ONE.name })]),
        'GET /panel/tags': NO_TAGS,
      },
    });
    await user.click(await screen.findByLabelText('Select the loaded site'));
    screen.getByRole('button', { name: 'Update the Steward plugin' });
    expect(panel.requests('GET /panel/sites')[0]?.query).toMatchObject({
      steward_plugin: 'outdated',
    });
    await click('Steward plugin outdated');
    await waitFor(() => expect(address()).toBe('/sites'));
  });
});
