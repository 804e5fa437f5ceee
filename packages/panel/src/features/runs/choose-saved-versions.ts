import type { RunItem } from '../../platform/database/tables.ts';

/** A replaced version that a site can restore. */
export type SavedVersion = { type: RunItem['type']; slug: string; version: string };

/** Chooses the items that a site can restore: of each item, the first requested version that the site has saved. */
export function chooseSavedVersions(requested: RunItem[], saved: SavedVersion[]): RunItem[] {
  return [...Map.groupBy(requested, toKey).values()].flatMap((choices) => {
    const found = choices.find((choice) =>
      saved.some((item) => toKey(item) === toKey(choice) && item.version === choice.version),
    );
    return found ? [found] : [];
  });
}

const toKey = ({ type, slug }: Pick<RunItem, 'type' | 'slug'>) => `${type} ${slug}`;
