import {
  BulkUpdateResponse,
  CORE_SLUG,
  type ItemUpdateResult,
  type UpdateItem,
} from '@steward/contract';
import Value from 'typebox/value';
import { expect } from 'vitest';
import type { SiteCaller } from './site-caller.ts';
import type { InstalledState, Scenario } from './site-under-test.ts';

export const createItem = (
  type: UpdateItem['type'],
  slug: string,
  version?: string,
): UpdateItem => ({ type, slug, ...(version !== undefined && { version }) });
export const plugin = (slug: string, version?: string) => createItem('plugin', slug, version);
export const theme = (slug: string, version?: string) => createItem('theme', slug, version);
export const core = (version?: string) => createItem('core', CORE_SLUG, version);

/** Sends updates with a list of items, and checks what all their responses have in common. */
export function createItemUpdater(caller: SiteCaller) {
  async function update(...items: UpdateItem[]): Promise<BulkUpdateResponse> {
    const { status, body } = await caller.call('update', { items });
    expect(status).toBe(200);
    expect(Value.Check(BulkUpdateResponse, body)).toBe(true);
    return body as unknown as BulkUpdateResponse;
  }

  return {
    update,

    /** Updates a plugin or a theme. Returns its result, which must be the only one. */
    async updateOne(item: UpdateItem): Promise<ItemUpdateResult> {
      const { results } = await update(item);
      const [result, ...others] = [...results.plugins, ...results.themes];
      expect([others, results.core]).toEqual([[], null]);
      expect(result).toMatchObject({ slug: item.slug });
      return result as ItemUpdateResult;
    },

    async resetAndRead(scenario: Partial<Scenario> = {}): Promise<InstalledState> {
      await caller.reset(scenario);
      return caller.site.readState();
    },

    /** Expects that the site has exactly these changes since `before`. */
    async expectChanges(before: InstalledState, changes: Partial<InstalledState>): Promise<void> {
      const { active, ...after } = await caller.site.readState();
      const { active: activeBefore, ...versionsBefore } = before;
      expect(after).toEqual({
        ...versionsBefore,
        ...changes,
        plugins: { ...before.plugins, ...changes.plugins },
        themes: { ...before.themes, ...changes.themes },
      });
      expect(active.toSorted()).toEqual(activeBefore.toSorted());
    },

    /** Returns the name in the last report to the panel. */
    async findName(slug: string): Promise<string | undefined> {
      const { plugins = [], themes = [] } = (await caller.site.readReports()).at(-1) ?? {};
      const items = [...plugins, ...themes];
      return items.find((item) => ('plugin' in item ? item.plugin : item.slug) === slug)?.name;
    },
  };
}
