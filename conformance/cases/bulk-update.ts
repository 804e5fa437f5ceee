import { BulkUpdateResponse } from '@steward/contract';
import Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import type { SiteCaller } from '../site-caller.ts';
import { CORE, PLUGINS, THEMES } from '../site-under-test.ts';

/** Tests the bulk update, the sync and the reports to the panel. */
export function describeBulkUpdate(caller: SiteCaller): void {
  describe('bulk update', () => {
    const update = async () => {
      const { status, body } = await caller.call('update');
      expect(status).toBe(200);
      expect(Value.Check(BulkUpdateResponse, body)).toBe(true);
      return body as unknown as BulkUpdateResponse;
    };

    it('returns empty results when nothing is pending', async () => {
      await caller.reset({ updates: 'none' });
      expect(await update()).toEqual({
        success: true,
        results: { plugins: [], themes: [], core: null },
        errors: [],
      });
      await caller.expectUnchanged();
    });

    it('updates plugins, themes and core, and returns the installed versions', async () => {
      await caller.reset({ coreUpdate: true });
      const { success, results, errors } = await update();
      expect([success, errors]).toEqual([true, []]);
      expect(results.plugins).toHaveLength(2);
      expect(results.plugins).toEqual(
        expect.arrayContaining([
          { slug: PLUGINS.good.file, new_version: '1.1', success: true },
          { slug: PLUGINS.idle.file, new_version: '2.0', success: true },
        ]),
      );
      expect(results.themes).toEqual([
        { slug: THEMES.plain.slug, new_version: '1.2', success: true },
      ]);
      expect(results.core).toEqual({ new_version: CORE.newVersion, success: true });
      const state = await caller.site.readState();
      expect(state.plugins).toMatchObject({
        [PLUGINS.good.file]: '1.1',
        [PLUGINS.idle.file]: '2.0',
      });
      expect(state.themes).toMatchObject({ plain: '1.2', spare: '2.0' });
      expect(state.core).toBe(CORE.newVersion);
    });

    it('keeps plugins active or inactive, skips the management plugin, reports the new inventory, and has nothing to do the second time', async () => {
      await caller.reset();
      const { results } = await update();
      expect(results.plugins.map(({ slug }) => slug)).not.toContain(PLUGINS.management.file);
      // Core is up to date.
      expect(results.core).toBeNull();
      const { active, plugins } = await caller.site.readState();
      expect(active).toContain(PLUGINS.good.file);
      expect(active).not.toContain(PLUGINS.idle.file);
      expect(plugins[PLUGINS.management.file]).toBe(caller.managementPluginVersion);
      const inventory = (await caller.site.readReports()).at(-1);
      const good = inventory?.plugins.find(({ plugin }) => plugin === PLUGINS.good.file);
      expect(good).toMatchObject({ version: '1.1', active: true });
      expect(good).not.toHaveProperty('new_version');
      expect((await update()).results).toEqual({ plugins: [], themes: [], core: null });
    });

    it('continues after a corrupt package', async () => {
      await caller.reset({ updates: 'one_corrupt' });
      const { success, results, errors } = await update();
      expect(success).toBe(false);
      const broken = results.plugins.find(({ slug }) => slug === PLUGINS.corrupt.file);
      expect(broken).toMatchObject({ success: false, new_version: '1.0' });
      expect(broken?.error).toEqual(expect.stringMatching(/\S/));
      expect(errors).toEqual([
        { type: 'plugin', slug: PLUGINS.corrupt.file, error: broken?.error },
      ]);
      const state = await caller.site.readState();
      expect(state.plugins).toMatchObject({
        [PLUGINS.corrupt.file]: '1.0',
        [PLUGINS.good.file]: '1.1',
        [PLUGINS.idle.file]: '2.0',
      });
      expect(state.themes.plain).toBe('1.2');
      expect(state.active).toContain(PLUGINS.corrupt.file);
    });

    it('succeeds with a system error when only the report fails', async () => {
      await caller.reset({ panelDown: true });
      const { success, errors } = await update();
      expect(success).toBe(true);
      expect(errors).toEqual([{ type: 'system', slug: null, error: expect.any(String) }]);
    });

    it('is refused where file changes are disabled', async () => {
      await caller.reset({ fileChangesDisabled: true });
      caller.expectError(await caller.call('update'), [403, 'file_changes_disabled']);
      await caller.expectUnchanged();
    });
  });

  describe('sync', () => {
    it('reports the inventory and responds with success', async () => {
      await caller.reset();
      expect(await caller.call('sync')).toEqual({ status: 200, body: { success: true } });
      const inventory = (await caller.site.readReports()).at(-1);
      expect(inventory?.plugins).toContainEqual(
        expect.objectContaining({
          plugin: PLUGINS.good.file,
          version: '1.0',
          new_version: '1.1',
        }),
      );
      await caller.expectUnchanged();
    });
  });
}
