import type { Inventory, SoftwareItem } from '@steward/contract';
import { type Person, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { expect } from 'vitest';
import { naiveSoftware } from './naive-software.ts';

export type Plugin = Inventory['plugins'][number];

/** A plugin without updates, with the fields that a test does not care about. */
export function plugin(slug: string, fields: Partial<Plugin> = {}): Plugin {
  return { plugin: `${slug}/${slug}.php`, name: slug, version: '1.0', active: true, ...fields };
}

export const withPlugins = (...plugins: Plugin[]): Inventory => ({
  plugins,
  themes: [],
  core: { version: '6.8' },
});

const byTypeAndSlug = (a: SoftwareItem, b: SoftwareItem) =>
  `${a.type} ${a.slug}` < `${b.type} ${b.slug}` ? -1 : 1;

export const sorted = (items: SoftwareItem[]) => items.toSorted(byTypeAndSlug);

/** Starts a panel with one owner. `ask` queries the list of software, `readAll` reads all its pages. */
export function useSoftwarePanel() {
  const { panel, owner } = usePanelWithOwner();
  type User = Pick<Person, 'get'>;
  const ask = async (query: Record<string, string> = {}, user: User = owner) => {
    const { status, body } = await user.get(`/panel/software?${new URLSearchParams(query)}`);
    return { status, body, slugs: body.software?.map(({ slug }: SoftwareItem) => slug) };
  };
  const readAll = async (query: Record<string, string> = {}, user: User = owner) => {
    const items: SoftwareItem[] = [];
    let cursor: string | null = null;
    do {
      const page: Record<string, string> = cursor ? { ...query, cursor } : query;
      const { body } = await ask(page, user);
      items.push(...body.software);
      cursor = body.next_cursor;
    } while (cursor !== null);
    return items;
  };
  const askItem = async (type: string, slug: string, user: User = owner) =>
    user.get(`/panel/software/item?${new URLSearchParams({ type, slug })}`);
  /** Compares the list with a naive computation from the stored inventories of these sites; by default of all. */
  const expectTrueCounts = async (user: User = owner, visible?: number[]) => {
    // An item has the name that was reported last.
    const rows = await panel.db
      .selectFrom('sites')
      .select(['id', 'inventory'])
      .orderBy('inventory_at')
      .execute();
    const inventories = rows
      .filter(({ id }) => !visible || visible.includes(id))
      .flatMap(({ inventory }) => inventory ?? []);
    expect(sorted(await readAll({}, user))).toEqual(sorted(naiveSoftware(inventories)));
  };
  return { panel, owner, ask, readAll, askItem, expectTrueCounts };
}
