import { type BulkUpdateResponse, TRANSLATIONS_SLUG } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { core, createItem, createItemUpdater, plugin, theme } from '../item-updater.ts';
import type { SiteCaller } from '../site-caller.ts';
import { CORE, PLUGINS, THEMES } from '../site-under-test.ts';

const GOOD = PLUGINS.good.file;
const IDLE = PLUGINS.idle.file;
const PLAIN = THEMES.plain.slug;

/** Tests that a site updates exactly the items that the panel requests. */
export function describeItems(caller: SiteCaller): void {
  const { update, updateOne, resetAndRead, expectChanges, findName } = createItemUpdater(caller);

  describe('items: updates', () => {
    it('updates only the requested plugin, and reports the new inventory', async () => {
      const before = await resetAndRead({ coreUpdate: true });
      const { success, results, errors } = await update(plugin(GOOD));
      expect([success, errors]).toEqual([true, []]);
      expect(results).toMatchObject({ plugins: [{ slug: GOOD }], themes: [], core: null });
      await expectChanges(before, { plugins: { [GOOD]: '1.1' } });
      const inventory = (await caller.site.readReports()).at(-1);
      const [good, idle] = [GOOD, IDLE].map((file) =>
        inventory?.plugins.find((item) => item.plugin === file),
      );
      expect(good).toMatchObject({ version: '1.1', active: true });
      expect(good).not.toHaveProperty('new_version');
      expect(idle).toMatchObject({ version: '1.0', new_version: '2.0' });
    });

    it('updates to the offered version, and returns the name and both versions, even to a panel without result_details', async () => {
      const before = await resetAndRead();
      const { results } = await update(plugin(GOOD, '1.1'), theme(PLAIN, '1.2'));
      expect(results.plugins).toEqual([
        {
          slug: GOOD,
          name: await findName(GOOD),
          old_version: '1.0',
          new_version: '1.1',
          success: true,
        },
      ]);
      expect(results.themes).toEqual([
        {
          slug: PLAIN,
          name: await findName(PLAIN),
          old_version: '1.0',
          new_version: '1.2',
          success: true,
        },
      ]);
      expect(results.plugins[0]?.name).toMatch(/\S/);
      await expectChanges(before, { plugins: { [GOOD]: '1.1' }, themes: { [PLAIN]: '1.2' } });
    });

    it('updates only the requested theme', async () => {
      const before = await resetAndRead({ coreUpdate: true });
      expect(await updateOne(theme(PLAIN))).toMatchObject({ success: true, new_version: '1.2' });
      await expectChanges(before, { themes: { [PLAIN]: '1.2' } });
    });

    it('updates only core', async () => {
      const before = await resetAndRead({ coreUpdate: true });
      const { success, results, errors } = await update(core(CORE.newVersion));
      expect([success, errors]).toEqual([true, []]);
      const { version: old_version, newVersion: new_version } = CORE;
      expect(results).toEqual({
        plugins: [],
        themes: [],
        core: { success: true, old_version, new_version },
      });
      await expectChanges(before, { core: CORE.newVersion });
    });

    it('returns the results by type, in the order of the request', async () => {
      const before = await resetAndRead({ coreUpdate: true });
      const { results } = await update(core(), theme(PLAIN), plugin(IDLE), plugin(GOOD));
      expect(results.plugins.map(({ slug }) => slug)).toEqual([IDLE, GOOD]);
      expect(results.themes.map(({ slug }) => slug)).toEqual([PLAIN]);
      expect(results.core).toMatchObject({ success: true, new_version: CORE.newVersion });
      await expectChanges(before, {
        plugins: { [GOOD]: '1.1', [IDLE]: '2.0' },
        themes: { [PLAIN]: '1.2' },
        core: CORE.newVersion,
      });
    });

    it('succeeds with a system error when only the report fails', async () => {
      await caller.reset({ panelDown: true });
      const { success, results, errors } = await update(plugin(GOOD));
      expect([success, results.plugins[0]?.success]).toEqual([true, true]);
      expect(errors).toEqual([{ type: 'system', slug: null, error: expect.any(String) }]);
    });

    it('accepts the translations, on a site with and without language packs', async () => {
      const before = await resetAndRead({ coreUpdate: true });
      const { results } = await update(createItem('translation', TRANSLATIONS_SLUG));
      expect(results).toMatchObject({ plugins: [], themes: [], core: null });
      expect(results.translations).toHaveLength(1);
      const [result] = results.translations ?? [];
      expect(result?.slug).toBe(TRANSLATIONS_SLUG);
      if (!result?.success) expect(result).toMatchObject({ code: 'item_not_found' });
      await expectChanges(before, {});
    });

    it('installs all pending updates with an empty body and with an object without items', async () => {
      for (const body of ['', '{"other":[]}']) {
        await caller.reset();
        const response = (await caller.call('update', body)).body as unknown as BulkUpdateResponse;
        expect(response.results.themes).toEqual([
          { slug: PLAIN, new_version: '1.2', success: true },
        ]);
        const { plugins } = await caller.site.readState();
        expect(plugins).toMatchObject({ [GOOD]: '1.1', [IDLE]: '2.0' });
      }
    });

    it('returns the details of all pending updates to a panel that announced result_details', async () => {
      await caller.reset({ coreUpdate: true, panelCapabilities: ['result_details'] });
      const { results } = (await caller.call('update')).body as unknown as BulkUpdateResponse;
      expect(results.plugins).toContainEqual(
        expect.objectContaining({ slug: GOOD, old_version: '1.0', name: await findName(GOOD) }),
      );
      expect(results.themes).toMatchObject([{ old_version: '1.0', name: await findName(PLAIN) }]);
      expect(results.core).toMatchObject({ old_version: CORE.version });
    });
  });

  describe('items: nothing to do', () => {
    const { parent } = PLUGINS;
    for (const [description, items] of [
      [
        'items in the installed version, also if another one is offered',
        [plugin(parent.file, parent.version), plugin(GOOD, '1.0'), theme('spare', '2.0')],
      ],
      ['items without a pending update', [plugin(parent.file), theme('spare')]],
    ] as const) {
      it(`succeeds without a change for ${description}`, async () => {
        const { plugins, themes } = await resetAndRead();
        const { success, results } = await update(...items);
        expect([success, results.core]).toEqual([true, null]);
        expect([...results.plugins, ...results.themes]).toMatchObject(
          items.map(({ slug }) => {
            const version = plugins[slug] ?? themes[slug];
            return { slug, success: true, old_version: version, new_version: version };
          }),
        );
        await caller.expectUnchanged();
        expect(await caller.site.readReports()).not.toEqual([]);
      });
    }

    it('succeeds without a change for core, and still returns its version', async () => {
      await caller.reset();
      const { version } = CORE;
      for (const item of [core(), core(version)]) {
        const { success, results, errors } = await update(item);
        expect([success, errors]).toEqual([true, []]);
        expect(results.core).toEqual({ success: true, old_version: version, new_version: version });
      }
      await caller.expectUnchanged();
    });

    it('succeeds without a change when the call is repeated', async () => {
      await caller.reset();
      for (const old_version of ['1.0', '1.1']) {
        const result = await updateOne(plugin(GOOD, '1.1'));
        expect(result).toMatchObject({ success: true, old_version, new_version: '1.1' });
      }
    });
  });
}
