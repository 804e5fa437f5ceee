import { describe, expect, it } from 'vitest';
import { createPackageCaller } from '../item-packages.ts';
import { createItemUpdater, plugin, theme } from '../item-updater.ts';
import type { SiteCaller } from '../site-caller.ts';
import { PLUGINS, THEMES } from '../site-under-test.ts';

const GOOD = PLUGINS.good.file;
const IDLE = PLUGINS.idle.file;
const PLAIN = THEMES.plain.slug;

/** Tests that a site saves replaced versions and restores exactly the requested one. */
export function describeRestore(caller: SiteCaller): void {
  const { update, resetAndRead, expectChanges } = createItemUpdater(caller);
  const { send, sendOne, findReported } = createPackageCaller(caller, () => {
    throw new Error('Restoring needs no package server.');
  });

  describe('restore', () => {
    it('reports the replaced version, restores it and saves the newer one', async () => {
      const before = await resetAndRead();
      await update(plugin(GOOD), theme(PLAIN));
      expect(await findReported(GOOD)).toMatchObject({ version: '1.1', saved_versions: ['1.0'] });
      expect(await findReported(PLAIN)).toMatchObject({ version: '1.2', saved_versions: ['1.0'] });
      expect(await findReported(PLUGINS.parent.file)).not.toHaveProperty('saved_versions');

      const { success, results, errors } = await send('restore', [
        plugin(GOOD, '1.0'),
        theme(PLAIN, '1.0'),
      ]);
      expect([success, errors]).toEqual([true, []]);
      const [reportedPlugin, reportedTheme] = [await findReported(GOOD), await findReported(PLAIN)];
      expect(results).toEqual({
        plugins: [
          {
            slug: GOOD,
            name: reportedPlugin?.name,
            old_version: '1.1',
            new_version: '1.0',
            success: true,
          },
        ],
        themes: [
          {
            slug: PLAIN,
            name: reportedTheme?.name,
            old_version: '1.2',
            new_version: '1.0',
            success: true,
          },
        ],
        core: null,
      });
      expect(reportedPlugin).toMatchObject({ version: '1.0', saved_versions: ['1.1'] });
      expect(reportedTheme).toMatchObject({ version: '1.0', saved_versions: ['1.2'] });
      await expectChanges(before, {});
    });

    it('restores the newer version again, and keeps the plugin inactive', async () => {
      const before = await resetAndRead();
      expect((await caller.act('update', IDLE)).status).toBe(200);
      for (const [version, saved] of [
        ['1.0', '2.0'],
        ['2.0', '1.0'],
      ] as const) {
        const result = await sendOne('restore', plugin(IDLE, version));
        expect(result).toMatchObject({ success: true, old_version: saved, new_version: version });
        expect(await findReported(IDLE)).toMatchObject({ version, saved_versions: [saved] });
      }
      await expectChanges(before, { plugins: { [IDLE]: '2.0' } });
    });

    it('succeeds without a change when the call is repeated', async () => {
      const before = await resetAndRead();
      await update(plugin(GOOD));
      await sendOne('restore', plugin(GOOD, '1.0'));
      const repeated = await sendOne('restore', plugin(GOOD, '1.0'));
      expect(repeated).toMatchObject({ success: true, old_version: '1.0', new_version: '1.0' });
      await expectChanges(before, {});
    });

    it('refuses an item without this saved version, and restores the others', async () => {
      const before = await resetAndRead();
      await update(plugin(GOOD));
      const { success, results, errors } = await send('restore', [
        plugin(IDLE, '0.1'),
        plugin('none/none.php', '1.0'),
        plugin(PLUGINS.management.file, '0.0.1'),
        plugin(GOOD, '1.0'),
        theme(PLAIN, '0.1'),
      ]);
      expect(results.plugins).toMatchObject([
        { code: 'saved_version_missing', success: false, old_version: '1.0', new_version: '1.0' },
        { code: 'item_not_found', success: false, new_version: '' },
        { code: 'management_plugin', success: false },
        { slug: GOOD, success: true },
      ]);
      expect(results.themes).toMatchObject([{ code: 'saved_version_missing', success: false }]);
      expect([success, errors.length]).toEqual([false, 4]);
      await expectChanges(before, {});
    });

    it('400 for invalid items, which it names', async () => {
      await caller.reset();
      for (const item of [
        { type: 'core', slug: 'core', version: '6.0' },
        { type: 'plugin', slug: IDLE },
        { type: 'plugin', slug: IDLE, version: '' },
        { type: 'plugin', slug: '../idle/idle.php', version: '1.0' },
        { type: 'theme', slug: '..', version: '1.0' },
        plugin(GOOD, '1.0'),
        null,
      ]) {
        const response = await caller.call('restore', { items: [plugin(GOOD, '1.0'), item] });
        caller.expectError(response, [400, 'invalid_items']);
        expect(response.body.error).toMatch(/items\[1\]|item 2\b/i);
      }
      for (const body of [{}, { items: [] }, { items: null }, { items: plugin(GOOD, '1.0') }]) {
        caller.expectError(await caller.call('restore', body), [400, 'invalid_items']);
      }
      await caller.expectUnchanged();
    });

    it('403 if the site allows no file changes or Remote is off', async () => {
      await caller.reset({ fileChangesDisabled: true });
      const restore = () => caller.call('restore', { items: [plugin(GOOD, '0.9')] });
      caller.expectError(await restore(), [403, 'file_changes_disabled']);
      await caller.reset({ services: [] });
      caller.expectError(await restore(), [403, 'remote_disabled']);
    });
  });
}
