import type { ItemWatch, Watch, WatchError } from '@steward/contract';
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { MOMENT, runOf, SHOP, task, users } from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';

const ERROR: WatchError = {
  ...{ type: 'plugin', slug: SHOP, version: '5.3', message: 'Uncaught Error: no total' },
  ...{ place: 'checkout.php:17', request_kind: 'front', is_confirmed: true, at: MOMENT },
};
const itemWatch = (overrides: Partial<ItemWatch> = {}): ItemWatch => ({
  ...{ type: 'plugin', slug: SHOP, from_version: '5.2', version: '5.3', state: 'troubled' },
  ...{ until: MOMENT, error: ERROR, restore_run_id: null },
  ...overrides,
});
const watchOf = (...items: [ItemWatch, ...ItemWatch[]]): Watch => ({
  state: items[0].state,
  until: MOMENT,
  error: items[0].error,
  items,
});

const QUIET = itemWatch({ state: 'healthy', error: null });
const QUIET_SO_FAR = itemWatch({ state: 'watching', error: null });
const UNCONFIRMED = { ...ERROR, is_confirmed: false };

const render = (watch: Watch, role: 'owner' | 'manager' | 'viewer' = 'owner') => {
  const watched = task({ site_url: 'https://example.com/a', watch });
  return renderScreen('/runs/1?task=1', {
    role,
    responses: {
      'GET /panel/users': users(),
      'GET /panel/runs/:id': runOf([watched], {
        item_names: [{ type: 'plugin', slug: SHOP, name: 'Shop' }],
      }),
      'GET /panel/runs/:id/tasks/:task_id': { success: true, task: watched },
      'POST /panel/sites/restore-preview': {
        success: true,
        preview: {
          site_ids: [1],
          sites: [{ id: 1, name: 'example.com/a' }],
          skipped: { count: 0, sites: [] },
          not_found: 0,
          versions: [{ version: '5.2', current_versions: ['5.3'], site_ids: [1] }],
        },
      },
    },
  });
};
const findWatches = async () =>
  within(await screen.findByRole('list', { name: 'Since the update' }));

describe('the watch of an updated item', () => {
  it('names the error of a troubled item, and offers to restore, to quarantine the version and to copy', async () => {
    const { click, panel } = render(watchOf(itemWatch()));
    const watches = await findWatches();
    watches.getByText('Troubled');
    watches.getByText('Uncaught Error: no total');
    watches.getByText('checkout.php:17');
    watches.getByText(/^Version 5.3 fails on requests of this site/);
    await expectAccessible('a troubled item');
    await click('Restore 5.2…');
    const dialog = within(await findDialog('Restore a previous version of Shop'));
    await dialog.findByText('Version 5.2 replaces 5.3.');
    await click('Cancel');
    await expectDialogClosed();
    await click('Copy details of Shop 5.3, checkout.php:17');
    await screen.findByText('Copied');
    expect(await navigator.clipboard.readText()).toContain('Updated from: 5.2');
    panel.setResponses({
      'GET /panel/software/versions': { success: true, versions: [] },
      'POST /panel/quarantine': {
        success: true,
        quarantined_version: {
          ...{ id: 7, item_type: 'plugin', slug: SHOP, name: 'Shop', version: '5.3', reason: '' },
          ...{ created_by: 'Olive', created_at: MOMENT },
          ...{ lifted_at: null, lifted_by: null, lift_reason: null },
        },
      },
    });
    await click('Quarantine 5.3…');
    await findDialog('Quarantine version');
    await click('Quarantine version');
    await expectDialogClosed();
    expect(panel.requests('POST /panel/quarantine').map(({ body }) => body)).toEqual([
      {
        item_type: 'plugin',
        slug: SHOP,
        version: '5.3',
        reason: 'Fails on real requests: Uncaught Error: no total in checkout.php:17',
      },
    ]);
  });

  it('marks the site without opening its line, and puts it first', async () => {
    const troubled = task({
      task_id: 2,
      site_url: 'https://example.com/b',
      watch: watchOf(itemWatch()),
    });
    renderScreen('/runs/1', {
      responses: {
        'GET /panel/users': users(),
        'GET /panel/runs/:id': runOf([task({ site_url: 'https://example.com/a' }), troubled]),
      },
    });
    await screen.findByText(/1 site troubled since the update\.$/);
    const lines = within(screen.getByRole('list', { name: 'Sites of this run' }));
    const [first] = lines.getAllByRole('button');
    expect(first?.textContent).toContain('example.com/b');
    expect(first?.textContent).toContain('Troubled');
  });

  it.each([
    ['Healthy', 'No request ended in a new error.', QUIET],
    ['Unknown', /^Steward cannot tell/, itemWatch({ state: 'unknown', error: null })],
    ['Watching', /Steward watches until/, QUIET_SO_FAR],
    ['Reported', /did not reproduce it/, itemWatch({ state: 'reported', error: UNCONFIRMED })],
    ['Watching', /not reproduced it yet/, itemWatch({ state: 'watching', error: UNCONFIRMED })],
  ] as const)('explains %s: %s', async (word, explanation, item) => {
    render(watchOf(item));
    const watches = await findWatches();
    watches.getByText(word);
    watches.getByText(explanation);
    watches.getByRole('link', { name: 'Shop 5.3' });
    // Only trouble is a reason to restore or to quarantine a version.
    expect(watches.queryByRole('button', { name: /Restore|Quarantine/ })).toBeNull();
  });

  it('names the other item in which an error of a used item is', async () => {
    render(watchOf(itemWatch({ error: { ...ERROR, slug: 'pay/pay.php', version: '1.1' } })));
    await screen.findByText('The error is in pay/pay.php 1.1, called through Shop.');
  });

  it('shows what a rule restored, and that the database stays as it is', async () => {
    render(watchOf(itemWatch({ restore_run_id: 9 })));
    const watches = await findWatches();
    watches.getByText(/^A rule restored 5.2. The database stays as it is./);
    expect(watches.getByRole('link', { name: 'View restore run' }).getAttribute('href')).toBe(
      '/runs/9',
    );
    expect(watches.queryByRole('button', { name: /Restore/ })).toBeNull();
  });

  it('offers no restore of core, and no quarantine to managers', async () => {
    render(watchOf(itemWatch({ type: 'core', slug: 'core', version: '7.1' })), 'manager');
    const watches = await findWatches();
    watches.getByText(/A core update cannot be rolled back/);
    watches.getByText('Ask an owner to quarantine this version.');
    expect(watches.queryByRole('button', { name: /Restore|Quarantine/ })).toBeNull();
  });

  it('offers viewers no restore', async () => {
    render(watchOf(itemWatch()), 'viewer');
    const watches = await findWatches();
    watches.getByText('Troubled');
    expect(watches.queryByRole('button', { name: /Restore|Quarantine/ })).toBeNull();
  });

  it('is read again when a site is opened, because it goes on after the end of the run', async () => {
    const { panel } = render(watchOf(QUIET_SO_FAR));
    panel.setResponses({
      'GET /panel/runs/:id/tasks/:task_id': {
        success: true,
        task: task({ watch: watchOf(itemWatch()) }),
      },
    });
    await (await findWatches()).findByText('Troubled');
  });
});
