import type { QuarantinedVersion, UpdateRule } from '@steward/contract';
import { act, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import { errorResponse, type PanelResponses } from '../../../test/fake-panel.ts';
import { MOMENT, NO_TAGS } from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';
import { queryClient } from '../../lib/query-client.ts';
import { rulesQuery } from './api.ts';

const rule = (fields: Partial<UpdateRule> = {}): UpdateRule => ({
  ...{ id: 3, scope: 'fleet', tag: null, site_id: null, site_name: null },
  ...{ item_type: 'plugin', slug: null, item_name: null },
  ...{
    aspect: 'wait',
    level: null,
    version: null,
    days: 7,
    hours: null,
    enabled: null,
    note: 'Calm.',
    sites: 12,
  },
  ...{ created_by: 'Olive', created_at: MOMENT, revision: 4 },
  ...fields,
});
const onTag = rule({
  id: 4,
  scope: 'tag',
  tag: 'shop',
  aspect: 'level',
  level: 'never',
  days: null,
});
const quarantined: QuarantinedVersion = {
  ...{ id: 7, item_type: 'plugin', slug: 'shop/shop.php', name: 'Shop', version: '2.0' },
  ...{ reason: 'White screen.', created_by: null, created_at: MOMENT },
  ...{ lifted_at: null, lifted_by: null, lift_reason: null },
};

const render = (path: string, responses: PanelResponses = {}) =>
  renderScreen(path, {
    responses: {
      'GET /panel/rules': { success: true, rules: [rule(), onTag] },
      'GET /panel/quarantine': { success: true, quarantined_versions: [quarantined] },
      'GET /panel/tags': NO_TAGS,
      'POST /panel/rules/preview': { success: true, sites: 12 },
      ...responses,
    },
  });

const WAIT =
  'Hold new versions of all plugins on all sites for 7 days after they first appeared in the fleet.';

describe('the page of rules', () => {
  it('lists rules by scope, in words, and quarantined versions', async () => {
    render('/rules');
    const fleet = within(await screen.findByRole('region', { name: 'All sites' }));
    fleet.getByText(WAIT);
    fleet.getByText('12 sites');
    const tags = within(screen.getByRole('region', { name: 'Sites with a tag' }));
    tags.getByText('Never update, install or restore a plugin on any site with the tag shop.');
    const quarantine = within(await screen.findByRole('region', { name: 'Quarantined versions' }));
    quarantine.getByRole('link', { name: 'Shop 2.0' });
    await expectAccessible('rules');
  });

  it('explains what rules do if there are none', async () => {
    render('/rules', {
      'GET /panel/rules': { success: true, rules: [] },
      'GET /panel/quarantine': { success: true, quarantined_versions: [] },
    });
    await screen.findByText('No rules yet');
    await screen.findByText('No version is quarantined.');
  });

  it('creates a rule, with its sentence and the number of its sites', async () => {
    const { panel, user } = render('/rules?new=1', {
      'POST /panel/rules': { success: true, rule: rule() },
    });
    const dialog = within(await findDialog('New rule'));
    dialog.getByText(WAIT);
    await dialog.findByText(/Applies to 12 sites/);
    await expectAccessible('new rule');
    await user.click(dialog.getByRole('button', { name: 'Create rule' }));
    await expectDialogClosed();
    expect(panel.requests('POST /panel/rules').map(({ body }) => body)).toEqual([
      { item_type: 'plugin', aspect: 'wait', days: 7, note: '' },
    ]);
  });

  it('shows that another owner changed the rule, and keeps the dialog open', async () => {
    const { panel, user } = render('/rules?rule=3', {
      'PATCH /panel/rules/:id': errorResponse('rule_changed'),
    });
    const dialog = within(await findDialog('Edit rule'));
    await user.click(dialog.getByRole('button', { name: 'Save rule' }));
    await dialog.findByText(/This rule has changed since you opened it/);
    expect(panel.requests('PATCH /panel/rules/:id')[0]?.body).toMatchObject({ revision: 4 });
  });

  it('sends the revision of the rule that the dialog shows, not of a rule that was loaded later', async () => {
    const { panel, user } = render('/rules?rule=3', {
      'PATCH /panel/rules/:id': errorResponse('rule_changed'),
    });
    const dialog = within(await findDialog('Edit rule'));
    panel.setResponses({
      'GET /panel/rules': { success: true, rules: [rule({ days: 30, revision: 5 })] },
    });
    await act(() => queryClient.refetchQueries(rulesQuery));
    await screen.findByText(/for 30 days after they/);
    await user.click(dialog.getByRole('button', { name: 'Save rule' }));
    await dialog.findByText(/This rule has changed since you opened it/);
    expect(panel.requests('PATCH /panel/rules/:id')[0]?.body).toMatchObject({
      days: 7,
      revision: 4,
    });
  });

  it('creates a rule that needs a recent backup', async () => {
    const needed = rule({ id: 6, aspect: 'backup', days: null, hours: 24, note: '' });
    const { panel, user } = render('/rules?new=1', {
      'POST /panel/rules': { success: true, rule: needed },
    });
    const dialog = within(await findDialog('New rule'));
    await user.click(dialog.getByRole('combobox', { name: 'Effect' }));
    await user.click(
      await screen.findByRole('option', { name: 'Update only with a recent backup' }),
    );
    dialog.getByText(
      'Hold updates of all plugins on all sites unless the site has a backup from the last 24 hours.',
    );
    await user.click(dialog.getByRole('button', { name: 'Create rule' }));
    await expectDialogClosed();
    expect(panel.requests('POST /panel/rules').map(({ body }) => body)).toEqual([
      { item_type: 'plugin', aspect: 'backup', hours: 24, note: '' },
    ]);
  });

  describe('a rule that restores the saved version', () => {
    const restoring = rule({ id: 5, aspect: 'restore', days: null, enabled: true, note: '' });
    const SENTENCE =
      'Restore the saved version of all plugins on all sites if an update causes trouble. The database stays as it is.';

    it('is created with a note about the database', async () => {
      const { panel, user } = render('/rules?new=1', {
        'POST /panel/rules': { success: true, rule: restoring },
      });
      const dialog = within(await findDialog('New rule'));
      await user.click(dialog.getByRole('combobox', { name: 'Effect' }));
      await user.click(
        await screen.findByRole('option', { name: /^Restore the saved version if/ }),
      );
      dialog.getByText(SENTENCE);
      dialog.getByText(/check that the old version works with it/);
      await expectAccessible('new rule that restores');
      await user.click(dialog.getByRole('button', { name: 'Create rule' }));
      await expectDialogClosed();
      expect(panel.requests('POST /panel/rules').map(({ body }) => body)).toEqual([
        { item_type: 'plugin', aspect: 'restore', enabled: true, note: '' },
      ]);
    });

    it('is not possible for core', async () => {
      const { user } = render('/rules?new=1');
      const dialog = within(await findDialog('New rule'));
      for (const [field, option] of [
        ['Effect', /^Restore the saved version if/],
        ['Items', 'WordPress core'],
      ] as const) {
        await user.click(dialog.getByRole('combobox', { name: field }));
        await user.click(await screen.findByRole('option', { name: option }));
      }
      dialog.getByText(/^Steward saves no versions of WordPress core/);
      const button = dialog.getByRole<HTMLButtonElement>('button', { name: 'Create rule' });
      expect(blockedReason(button)).not.toBeNull();
    });

    it('is listed, and can become an exception', async () => {
      const { panel, user } = render('/rules?rule=5', {
        'GET /panel/rules': { success: true, rules: [restoring] },
        'PATCH /panel/rules/:id': { success: true, rule: { ...restoring, enabled: false } },
      });
      await screen.findByRole('button', { name: SENTENCE, hidden: true });
      const dialog = within(await findDialog('Edit rule'));
      await user.click(dialog.getByRole('combobox', { name: 'Effect' }));
      // A saved rule keeps its aspect.
      expect(await screen.findAllByRole('option')).toHaveLength(2);
      await user.click(screen.getByRole('option', { name: /^Do not restore/ }));
      await user.click(dialog.getByRole('button', { name: 'Save rule' }));
      await expectDialogClosed();
      expect(panel.requests('PATCH /panel/rules/:id').map(({ body }) => body)).toEqual([
        { enabled: false, note: '', revision: 4 },
      ]);
    });

    it('can be deleted; then Steward restores nothing by itself', async () => {
      const { panel, user } = render('/rules?delete=5', {
        'GET /panel/rules': { success: true, rules: [restoring] },
        'DELETE /panel/rules/:id': { success: true },
      });
      const dialog = within(await findDialog('Delete rule'));
      dialog.getByText(/Without one, Steward restores nothing by itself/);
      await user.click(dialog.getByRole('button', { name: 'Delete rule' }));
      await expectDialogClosed();
      expect(panel.requests('DELETE /panel/rules/:id')).toHaveLength(1);
    });
  });

  it('lifts a quarantine only with a reason', async () => {
    const { panel, click, fill } = render('/rules', {
      'POST /panel/quarantine/:id/lift': { success: true, quarantined_version: quarantined },
    });
    await screen.findByText('White screen.');
    await click('Lift quarantine of Shop 2.0');
    const dialog = within(await findDialog('Lift quarantine'));
    const button = dialog.getByRole<HTMLButtonElement>('button', { name: 'Lift quarantine' });
    expect(blockedReason(button)).not.toBeNull();
    await fill(dialog.getByLabelText(/Reason/), 'Fixed.');
    button.click();
    await expectDialogClosed();
    const [request] = panel.requests('POST /panel/quarantine/:id/lift');
    expect(request?.body).toEqual({ reason: 'Fixed.' });
  });
});
