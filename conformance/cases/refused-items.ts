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
    /** Sends the items, and expects that the site refuses each of them with the code and its installed version. */
    const expectRefused = async (
      refusals: [item: UpdateItem, version: string][],
      code: string,
      others: UpdateItem[] = [],
    ) => {
      const { success, results, errors } = await update(
        ...refusals.map(([item]) => item),
        ...others,
      );
      expect(success).toBe(false);
      const all = [...results.plugins, ...results.themes];
      const refused = refusals.map(([{ type, slug }, version]) => {
        const result = all.find((each) => each.slug === slug);
        expect(result).toMatchObject({ slug, success: false, code, new_version: version });
        expect(result?.error).toMatch(/\S/);
        expect(result).not.toHaveProperty('rolled_back', true);
        expect(errors).toContainEqual({ type, slug, error: result?.error });
        return result;
      });
      expect(errors).toHaveLength(refusals.length);
      expect(all).toHaveLength(refusals.length + others.length);
      return refused;
    };
    /** Like `expectRefused`, with an item that the site updates. */
    const expectOthersUpdated = async (refusals: [UpdateItem, string][], code: string) => {
      const before = await caller.site.readState();
      const refused = await expectRefused(refusals, code, [plugin(IDLE)]);
      await expectChanges(before, { plugins: { [IDLE]: '2.0' } });
      return refused;
    };

    it('refuses items for which the site offers another version or no update, and updates the others', async () => {
      await caller.reset({ coreUpdate: true });
      const refused = await expectOthersUpdated(
        [
          [plugin(GOOD, '1.0.9'), '1.0'],
          [plugin(PLUGINS.parent.file, '3.1'), '3.0'],
          [theme(PLAIN, '1.1'), '1.0'],
        ],
        'offer_changed',
      );
      for (const result of refused) {
        const name = await findName(result?.slug ?? '');
        expect(result).toMatchObject({ old_version: result?.new_version, name });
      }
    });

    it('refuses an item for which the site offers a version with another spelling', async () => {
      const before = await resetAndRead();
      const [refused] = await expectRefused([[plugin(GOOD, '1.1.0'), '1.0']], 'offer_changed');
      expect(refused).toMatchObject({ old_version: '1.0', name: await findName(GOOD) });
      await expectChanges(before, {});
    });

    it('refuses a package with another version than the call named, and updates the others', async () => {
      await caller.reset({ packageVersion: '1.2' });
      const [refused] = await expectOthersUpdated([[plugin(GOOD, '1.1'), '1.0']], 'offer_changed');
      expect(refused?.error).toContain('1.2');
    });

    it('refuses items that are not installed, and updates the others', async () => {
      await caller.reset({ coreUpdate: true });
      const missing = [
        plugin('none/none.php'),
        plugin('good/other.php'),
        plugin('good.php'),
        theme('none'),
        theme('constructor'),
        theme('__proto__'),
      ];
      await expectOthersUpdated(
        missing.map((item) => [item, '']),
        'item_not_found',
      );
      await expectRefused([[plugin('none/none.php', '1.0'), '']], 'item_not_found');
    });

    it('refuses the management plugin, with and without a version, and updates the others', async () => {
      await caller.reset();
      const { file, newVersion } = PLUGINS.management;
      const version = caller.managementPluginVersion;
      await expectOthersUpdated([[plugin(file), version]], 'management_plugin');
      await expectRefused([[plugin(file, newVersion), version]], 'management_plugin');
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
