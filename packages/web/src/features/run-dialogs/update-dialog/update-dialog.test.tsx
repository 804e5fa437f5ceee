import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../../test/axe.ts';
import { blockedReason } from '../../../../test/blocked-reason.ts';
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

const FORMS = 'forms/forms.php';
const shop = offeredItem({ site_ids: [1, 2] });
const forms = offeredItem({
  slug: FORMS,
  name: 'Forms',
  version: '2.0',
  old_versions: ['1.0', '1.1', '1.2'],
  site_ids: [2, 3],
});
const core = offeredItem({
  type: 'core',
  slug: 'core',
  name: 'Core',
  version: '6.8.1',
  old_versions: ['6.8'],
  site_ids: [1, 2, 3],
});
const run = runOf([task()]);

/** Selects the three sites of the list and opens the dialog. */
async function openDialog(preview: PanelResponses['POST /panel/sites/update-preview']) {
  const names = ['one', 'two', 'three'];
  const screenOfSites = renderScreen('/sites', {
    responses: {
      'GET /panel/sites': sites(
        names.map((name, index) => siteItem({ id: index + 1, name: `${name}.example.com` })),
      ),
      'GET /panel/tags': NO_TAGS,
      'POST /panel/sites/update-preview': preview ?? updatePreview([]),
      'POST /remote/update': run,
      'GET /panel/runs/:id': run,
      'GET /panel/users': users(),
    },
  });
  const { user, panel, click, address } = screenOfSites;
  await user.click(await screen.findByLabelText('Select the 3 loaded sites'));
  await click('Update 3 sites');
  const dialog = within(await findDialog('Update sites'));
  await dialog.findByRole('button', { name: 'Cancel' });
  return {
    user,
    dialog,
    panel,
    checkbox: (name: string) => dialog.getByRole<HTMLInputElement>('checkbox', { name }),
    tick: (name: string) => user.click(dialog.getByRole('checkbox', { name })),
    /** Starts the update, and returns the request. */
    async start(button: string) {
      await user.click(dialog.getByRole('button', { name: button }));
      await waitFor(() => expect(address()).toBe('/runs/1'));
      return panel.requests('POST /remote/update').map(({ body }) => body);
    },
  };
}

const SHOP_UPDATE = { type: 'plugin', slug: SHOP, version: '5.3' };
const FORMS_UPDATE = { type: 'plugin', slug: FORMS, version: '2.0' };
const CORE_UPDATE = { type: 'core', slug: 'core', version: '6.8.1' };

describe('the choice of updates', () => {
  it('includes all plugins, but core only if the user ticks it', async () => {
    const { dialog, checkbox, tick, start } = await openDialog(updatePreview([shop, forms, core]));
    expect(checkbox('Shop').checked).toBe(true);
    expect(checkbox('Forms').checked).toBe(true);
    expect(checkbox('Core').checked).toBe(false);
    dialog.getByText('3 versions');
    expect(dialog.queryByText(/Back up each site first/)).toBeNull();
    await expectAccessible('choice of updates');
    await tick('Core');
    dialog.getByText(/Back up each site first/);
    expect(await start('Update 3 sites')).toEqual([
      { site_ids: [1, 2, 3], items: [SHOP_UPDATE, FORMS_UPDATE, CORE_UPDATE] },
    ]);
  });

  it('offers the same updates after the user returns from another tab', async () => {
    const { panel, checkbox, start } = await openDialog(updatePreview([shop, forms]));
    panel.setResponses({ 'POST /panel/sites/update-preview': updatePreview([shop, forms, core]) });
    window.dispatchEvent(new Event('visibilitychange'));
    expect(checkbox('Forms').checked).toBe(true);
    expect(await start('Update 3 sites')).toEqual([
      { site_ids: [1, 2, 3], items: [SHOP_UPDATE, FORMS_UPDATE] },
    ]);
    expect(panel.requests('POST /panel/sites/update-preview')).toHaveLength(1);
  });

  it('leaves out an item, and the sites that have only this update', async () => {
    const { checkbox, tick, start } = await openDialog(updatePreview([shop, forms, core]));
    await tick('Forms');
    expect(checkbox('All plugins').indeterminate).toBe(true);
    expect(await start('Update 2 sites')).toEqual([{ site_ids: [1, 2], items: [SHOP_UPDATE] }]);
  });

  it('leaves out all plugins at once, and needs at least one update', async () => {
    const { dialog, checkbox, tick, start } = await openDialog(updatePreview([shop, forms, core]));
    await tick('All plugins');
    expect(checkbox('Shop').checked).toBe(false);
    dialog.getByText('Choose at least one update.');
    const button = dialog.getByRole<HTMLButtonElement>('button', { name: 'Update sites' });
    expect(blockedReason(button)).not.toBeNull();
    await tick('Core');
    expect(await start('Update 3 sites')).toEqual([{ site_ids: [1, 2, 3], items: [CORE_UPDATE] }]);
  });

  it('leaves out a site, and includes it again', async () => {
    const { user, dialog, checkbox, tick, start } = await openDialog(updatePreview([shop, forms]));
    await user.click(dialog.getByRole('button', { name: '3 sites will be updated' }));
    await tick('Update two.example.com');
    dialog.getByRole('button', { name: '2 sites will be updated' });
    await tick('Update three.example.com');
    await tick('Update two.example.com');
    expect(checkbox('Update two.example.com').checked).toBe(true);
    await expectAccessible('choice of sites');
    expect(await start('Update 2 sites')).toEqual([
      { site_ids: [1, 2], items: [SHOP_UPDATE, FORMS_UPDATE] },
    ]);
  });

  it('counts the sites that the preview does not name', async () => {
    const many = offeredItem({ site_ids: [1, 2, 3, 4, 5] });
    const { user, dialog } = await openDialog(updatePreview([many]));
    await user.click(dialog.getByRole('button', { name: '5 sites will be updated' }));
    dialog.getByText('and 2 more');
  });
});

describe('held updates', () => {
  const explanation =
    'Held: waits 7 days, until 12 June 2026. Rule: all plugins on sites with the tag shop.';
  const hold = {
    reason: 'waiting' as const,
    rule_id: 3,
    rule: 'all plugins on sites with the tag shop',
    explanation,
  };

  it('cannot be ticked, and name the rule', async () => {
    const held = { ...forms, hold };
    const { dialog, checkbox, start } = await openDialog(updatePreview([shop, held]));
    expect([checkbox('Forms').checked, checkbox('Forms').disabled]).toEqual([false, true]);
    dialog.getByText(
      /Held: waits 7 days, until 12 June 2026\. Rule: all plugins on sites with the tag shop\./,
    );
    expect(dialog.getByRole('link', { name: 'View rule' }).getAttribute('href')).toContain('rule=');
    expect(checkbox('All plugins').checked).toBe(true);
    await expectAccessible('held updates');
    expect(await start('Update 2 sites')).toEqual([{ site_ids: [1, 2], items: [SHOP_UPDATE] }]);
  });

  it('say how to install them if all are held', async () => {
    const { dialog } = await openDialog(updatePreview([{ ...forms, hold }]));
    dialog.getByText(/^Rules hold all of these updates/);
    expect(dialog.queryByText('Choose at least one update.')).toBeNull();
  });

  it('skip a site whose updates are all held', async () => {
    const held = { count: 1, sites: [{ id: 3, name: 'three.example.com', explanation }] };
    const { dialog } = await openDialog(updatePreview([shop], { held }));
    dialog.getByRole('button', { name: '1 site skipped', expanded: true });
    dialog.getByText(/Held: waits 7 days/);
  });
});

describe('skipped sites', () => {
  it('are listed with the reason, also if their plugin is too old to install only selected updates', async () => {
    const { dialog, start } = await openDialog(
      updatePreview([shop], {
        items_unsupported: { site_ids: [3], sites: [{ id: 3, name: 'three.example.com' }] },
        skipped: {
          count: 1,
          sites: [{ id: 4, name: 'four.example.com', status: 'license_invalid' }],
        },
      }),
    );
    dialog.getByRole('button', { name: '2 sites skipped', expanded: true });
    const items = dialog.getAllByRole('listitem').map(({ textContent }) => textContent);
    expect(items).toEqual([
      'four.example.com license not valid',
      expect.stringMatching(/^three\.example\.com Steward plugin too old to install only selected/),
    ]);
    expect(await start('Update 2 sites')).toEqual([{ site_ids: [1, 2], items: [SHOP_UPDATE] }]);
  });
});

describe('an update without a choice', () => {
  it('installs all updates if no selected site can update single items', async () => {
    const unsupported = { site_ids: [1], sites: [{ id: 1, name: 'one.example.com' }] };
    const preview = updatePreview([], { items_unsupported: unsupported });
    preview.preview.to_update.site_ids = [1];
    preview.preview.to_update.pending = { plugins: 2, themes: 0, core: 1 };
    const { dialog, start } = await openDialog(preview);
    dialog.getByText('2 plugin updates');
    dialog.getByText('1 core update');
    expect(await start('Update 1 site')).toEqual([{ site_ids: [1] }]);
  });

  it('also checks sites without pending updates, and states that a rule can keep new updates off', async () => {
    const preview = updatePreview([], { nothing_pending: { site_ids: [1, 2, 3] } });
    const { dialog, tick, start } = await openDialog(preview);
    dialog.getByText(/^Rules and quarantined versions can prevent this/);
    await tick('Also check 3 sites without pending updates, and install new updates found there');
    expect(await start('Update 3 sites')).toEqual([{ site_ids: [1, 2, 3] }]);
  });
});

describe('the update of one item', () => {
  const openItem = (button: string, responses: PanelResponses) => {
    const rendered = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'POST /remote/update': run,
        'GET /panel/runs/:id': run,
        'GET /panel/users': users(),
        ...responses,
      },
    });
    return {
      ...rendered,
      open: async () => rendered.user.click(await screen.findByRole('button', { name: button })),
    };
  };

  it('offers no other item, and ticks core because the user asked for it', async () => {
    const preview = updatePreview([shop, forms, { ...core, site_ids: [1] }]);
    const { user, panel, open } = openItem('Update Core', {
      'POST /panel/sites/update-preview': preview,
    });
    await open();
    const dialog = within(await findDialog('Update sites'));
    const box = await dialog.findByRole<HTMLInputElement>('checkbox', { name: 'Core' });
    expect(box.checked).toBe(true);
    expect(dialog.queryByRole('checkbox', { name: 'Shop' })).toBeNull();
    await user.click(dialog.getByRole('button', { name: 'Update 1 site' }));
    await waitFor(() => expect(panel.requests('POST /remote/update')).toHaveLength(1));
    expect(panel.requests('POST /remote/update')[0]?.body).toEqual({
      site_ids: [1],
      items: [CORE_UPDATE],
    });
  });

  it('never installs other updates if the item is no longer pending', async () => {
    const { open } = openItem('Update linen', {
      'POST /panel/sites/update-preview': updatePreview([shop]),
    });
    await open();
    const dialog = within(await findDialog('Update sites'));
    await dialog.findByText('There is no update to install on these sites.');
    const button = dialog.getByRole<HTMLButtonElement>('button', { name: 'Update sites' });
    expect(blockedReason(button)).not.toBeNull();
  });
});
