import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { runOf, SHOP, siteDetails, task, users } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';
import { responsesFor } from '../../../test/site-screen.ts';

const done = (action: 'activate' | 'deactivate', warnings: string[] = []) => ({
  success: true as const,
  site_id: 1,
  action,
  plugin: SHOP,
  warnings,
});

async function deactivate(warnings: string[] = []) {
  const shown = renderScreen('/sites/1', {
    responses: {
      ...responsesFor(siteDetails()),
      'POST /remote/plugin-action': done('deactivate', warnings),
      'GET /panel/users': users(),
    },
  });
  const { user, panel } = shown;
  await user.click(await screen.findByRole('button', { name: `Deactivate ${SHOP}` }));
  const toast = within(await screen.findByRole('alert'));
  toast.getByText(new RegExp(`^${SHOP} deactivated\\.`));
  const actions = () => panel.requests('POST /remote/plugin-action').map(({ body }) => body);
  return { ...shown, toast, actions };
}

describe('deactivating a plugin', () => {
  it('needs no dialog, and can be undone', async () => {
    const { user, panel, toast, actions } = await deactivate();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(
      screen.getByRole('alert').closest('[data-position]')?.getAttribute('data-position'),
    ).toBe('top-center');
    await expectAccessible('an action with undo');
    panel.setResponses({ 'POST /remote/plugin-action': done('activate') });
    await user.click(toast.getByRole('button', { name: 'Undo' }));
    await screen.findByText(`${SHOP} activated.`);
    expect(actions()).toEqual([
      { site_id: 1, action: 'deactivate', plugin: SHOP },
      { site_id: 1, action: 'activate', plugin: SHOP },
    ]);
    await waitFor(() => expect(screen.queryByText(`${SHOP} deactivated.`)).toBeNull());
  });

  it('can be undone after a warning', async () => {
    const { toast } = await deactivate(['A cache plugin may show old pages.']);
    toast.getByText(/A cache plugin may show old pages\./);
    toast.getByRole('button', { name: 'Undo' });
  });

  it('shows in the row why the undo failed', async () => {
    const { user, panel, toast } = await deactivate();
    const error = 'It needs PHP 9.';
    panel.setResponses({
      'POST /remote/plugin-action': errorResponse('action_failed', { error, run_id: 5 }),
      'GET /panel/runs/:id': runOf([
        task({ status: 'failed', code: 'action_failed', error, http_status: 500 }),
      ]),
    });
    await user.click(toast.getByRole('button', { name: 'Undo' }));
    const plugins = within(screen.getByRole('region', { name: 'Plugins' }));
    await plugins.findByText(error);
  });

  it('withdraws the offer when the user leaves the page', async () => {
    const { click } = await deactivate();
    await click('Runs', 'link');
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull());
  });
});
