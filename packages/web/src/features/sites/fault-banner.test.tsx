import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { errorResponse } from '../../../test/fake-panel.ts';
import {
  FORMS,
  MOMENT,
  runOf,
  SHOP,
  siteDetails,
  task,
  users,
} from '../../../test/panel-fixtures.ts';
import {
  expectDialogClosed,
  findDialog,
  inMain,
  renderScreen,
} from '../../../test/render-screen.tsx';
import { findBanner, responsesFor } from '../../../test/site-screen.ts';
import { offeredItem, updatePreview } from '../../../test/software-fixtures.ts';

const failing = (code: string, error: string, run_id: number | null = 1) =>
  siteDetails({ status: 'failing', fault: { code, error, at: MOMENT, run_id } });
const OLD_VERSION = /The old version is still running, if the error names no failed rollback\./;

describe('the banner of a failing site', () => {
  it('mentions the old version after an update', async () => {
    renderScreen('/sites/1', {
      responses: responsesFor(failing('action_failed', 'The package is broken.')),
    });
    const banner = await findBanner();
    banner.getByText('The package is broken.');
    expect(banner.getByText(OLD_VERSION).textContent).toMatch(/ Failed \d+ \S+ ago\.$/);
    banner.getByRole('link', { name: 'View run' });
    await banner.findByRole('button', { name: 'Retry updates' });
  });

  it('previews the updates before it retries them', async () => {
    const { user, panel } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(failing('action_failed', 'The package is broken.')),
        'POST /panel/sites/update-preview': updatePreview([offeredItem({ site_ids: [1] })]),
      },
    });
    await user.click(await (await findBanner()).findByRole('button', { name: 'Retry updates' }));
    const dialog = within(await findDialog('Update sites'));
    await dialog.findByRole('button', { name: 'Update 1 site' });
    expect(panel.requests('POST /remote/update')).toEqual([]);
  });

  it('does not mention the old version after another action', async () => {
    renderScreen('/sites/1', {
      responses: responsesFor(failing('activate_failed', 'It needs PHP 9.')),
    });
    const banner = await findBanner();
    banner.getByText('It needs PHP 9.');
    banner.getByText(/The plugin should be unchanged/);
    expect(banner.queryByText(OLD_VERSION)).toBeNull();
    expect(banner.queryByRole('button', { name: 'Retry updates' })).toBeNull();
  });

  it('leaves syncing and opening the site to the page header', async () => {
    renderScreen('/sites/1', {
      responses: responsesFor(siteDetails({ status: 'not_reachable', inventory: null })),
    });
    const banner = await findBanner();
    expect(banner.queryByRole('button')).toBeNull();
    expect(banner.queryByRole('link')).toBeNull();
    expect(screen.getAllByRole('button', { name: /sync/i })).toEqual([
      screen.getByRole('button', { name: 'Sync now' }),
    ]);
    const [website, ...others] = screen.getAllByRole('link', { name: /open/i });
    expect(others).toEqual([]);
    expect(website?.textContent).toBe('Open website');
    expect(website?.getAttribute('href')).toBe('https://shop.example.com');
  });

  it('does not promise that a plugin is unchanged after a failed deletion', async () => {
    const error = `Other active plugins require this plugin: ${FORMS}.`;
    const meaning =
      /The plugin may be deactivated and its data removed\. Its files are still on the site\./;
    const { user, panel, click, fill, address } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'GET /panel/users': users(),
        'POST /remote/plugin-action': errorResponse('action_failed', { error, run_id: 5 }),
        'GET /panel/runs/:id': runOf(
          [task({ status: 'failed', code: 'action_failed', error, http_status: 500 })],
          { run_id: 5, kind: 'plugin_action', request: { action: 'delete', plugin: SHOP } },
        ),
      },
    });
    await user.click(await screen.findByRole('button', { name: `More actions for ${SHOP}` }));
    await user.click(await screen.findByRole('menuitem', { name: /Delete plugin/ }));
    const dialog = within(await findDialog());
    await fill(dialog.getByRole('textbox'), SHOP);
    panel.setResponses({ 'GET /panel/sites/:id': failing('delete_failed', error, 5) });
    await user.click(dialog.getByRole('button', { name: 'Delete plugin' }));
    await dialog.findByText(/Other active plugins require this plugin/);
    expect(panel.requests('POST /remote/plugin-action').map(({ body }) => body)).toEqual([
      { site_id: 1, action: 'delete', plugin: SHOP },
    ]);
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    await expectDialogClosed();
    // The banner and the row of the plugin both show it.
    await waitFor(() => expect(inMain().getAllByText(meaning)).toHaveLength(2));
    await user.click(screen.getAllByRole('link', { name: 'View run' })[0] as HTMLElement);
    await screen.findByRole('heading', { name: new RegExp(`^Delete ${SHOP} on`) });
    expect(address()).toBe('/runs/5');
    await click(/shop\.example\.com/);
    screen.getByText(meaning);
  });
});
