import { UPDATE_ITEMS_MAX, type UpdateItem } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { core, createItemUpdater, plugin, theme } from '../item-updater.ts';
import type { SiteCaller } from '../site-caller.ts';
import { CORE, PLUGINS, THEMES } from '../site-under-test.ts';

const GOOD = PLUGINS.good.file;
const IDLE = PLUGINS.idle.file;
const CORRUPT = PLUGINS.corrupt.file;
const PLAIN = THEMES.plain.slug;

/** Tests that a refused or failed item stays unchanged, and that the site updates the other items. */
export function describeRefusedItems(caller: SiteCaller): void {
  const { update, updateOne, resetAndRead, expectChanges, findName } = createItemUpdater(caller);

  describe('items: refused and failed', () => {
    const expectRefused = async (item: UpdateItem, code: string, version: string) => {
      const { success, results, errors } = await update(item, plugin(IDLE));
      const refused = [...results.plugins, ...results.themes].find(({ slug }) => slug !== IDLE);
      expect(refused).toMatchObject({ slug: item.slug, success: false, code });
      expect([success, refused?.new_version]).toEqual([false, version]);
      expect(refused?.error).toMatch(/\S/);
      expect(refused).not.toHaveProperty('rolled_back', true);
      const { type, slug } = item;
      expect(errors).toEqual([{ type, slug, error: refused?.error }]);
      expect(results.plugins).toContainEqual(
        expect.objectContaining({ slug: IDLE, success: true, new_version: '2.0' }),
      );
      return refused;
    };

    for (const [description, item, version] of [
      ['offers another version', plugin(GOOD, '1.0.9'), '1.0'],
      ['offers another version of a theme', theme(PLAIN, '1.1'), '1.0'],
      ['offers a version with another spelling', plugin(GOOD, '1.1.0'), '1.0'],
      ['offers no update', plugin(PLUGINS.parent.file, '3.1'), '3.0'],
    ] as const) {
      it(`refuses an item for which the site ${description}, and updates the others`, async () => {
        const before = await resetAndRead({ coreUpdate: true });
        const refused = await expectRefused(item, 'offer_changed', version);
        expect(refused).toMatchObject({ old_version: version, name: await findName(item.slug) });
        await expectChanges(before, { plugins: { [IDLE]: '2.0' } });
      });
    }

    it('refuses a package with another version than the call named, and updates the others', async () => {
      const before = await resetAndRead({ packageVersion: '1.2' });
      const refused = await expectRefused(plugin(GOOD, '1.1'), 'offer_changed', '1.0');
      expect(refused?.error).toContain('1.2');
      await expectChanges(before, { plugins: { [IDLE]: '2.0' } });
    });

    for (const item of [
      plugin('none/none.php'),
      plugin('none/none.php', '1.0'),
      plugin('good/other.php'),
      plugin('good.php'),
      theme('none'),
      theme('constructor'),
      theme('__proto__'),
    ]) {
      it(`refuses ${JSON.stringify(item)}, which is not installed, and updates the others`, async () => {
        const before = await resetAndRead({ coreUpdate: true });
        await expectRefused(item, 'item_not_found', '');
        await expectChanges(before, { plugins: { [IDLE]: '2.0' } });
      });
    }

    it('refuses the management plugin, with and without a version, and updates the others', async () => {
      const { file, newVersion } = PLUGINS.management;
      for (const item of [plugin(file), plugin(file, newVersion)]) {
        const before = await resetAndRead();
        await expectRefused(item, 'management_plugin', caller.managementPluginVersion);
        await expectChanges(before, { plugins: { [IDLE]: '2.0' } });
      }
    });

    it('refuses every file in the management plugin folder, in upper or lower case', async () => {
      await caller.reset();
      for (const file of ['steward/other.php', 'Steward/steward.php', 'STEWARD/Steward.php']) {
        expect(await updateOne(plugin(file))).toMatchObject({ code: 'management_plugin' });
      }
      await caller.expectUnchanged();
    });

    it('refuses another version of core, and updates the others', async () => {
      const before = await resetAndRead({ coreUpdate: true });
      const { success, results, errors } = await update(core('6.0.9'), plugin(IDLE));
      expect(success).toBe(false);
      expect(results.core).toMatchObject({
        success: false,
        code: 'offer_changed',
        old_version: CORE.version,
        new_version: CORE.version,
      });
      expect(errors).toEqual([{ type: 'core', slug: null, error: expect.stringMatching(/\S/) }]);
      await expectChanges(before, { plugins: { [IDLE]: '2.0' } });
    });

    it('reports to the panel when it refuses every item', async () => {
      await caller.reset();
      await update(plugin('none/none.php'));
      expect(await caller.site.readReports()).not.toEqual([]);
      await caller.expectUnchanged();
    });

    it('keeps the old version after a corrupt package, and updates the others', async () => {
      const before = await resetAndRead({ updates: 'one_corrupt' });
      const { success, results, errors } = await update(plugin(CORRUPT, '1.1'), plugin(GOOD));
      const [corrupt, good] = results.plugins;
      expect(corrupt).toMatchObject({
        slug: CORRUPT,
        name: await findName(CORRUPT),
        old_version: '1.0',
        new_version: '1.0',
        success: false,
        error: expect.stringMatching(/\S/),
      });
      // The package was never installed, so the site had nothing to roll back.
      expect(corrupt).not.toHaveProperty('rolled_back', true);
      expect(corrupt).toHaveProperty('code', 'package_rejected');
      expect([success, good?.success]).toEqual([false, true]);
      expect(errors).toEqual([{ type: 'plugin', slug: CORRUPT, error: corrupt?.error }]);
      await expectChanges(before, { plugins: { [GOOD]: '1.1' } });
    });

    it(`returns a result for each of ${UPDATE_ITEMS_MAX} items`, async () => {
      await caller.reset();
      const slugs = Array.from({ length: UPDATE_ITEMS_MAX }, (_, i) => `none/none-${i}.php`);
      const { results, errors } = await update(...slugs.map((slug) => plugin(slug)));
      expect(results.plugins.map(({ slug }) => slug)).toEqual(slugs);
      expect(errors).toHaveLength(slugs.length);
      await caller.expectUnchanged();
    });
  });
}
