import { isSameVersion } from '@steward/contract';
import type { RunItem } from '../../platform/database/tables.ts';

/** A replaced version that a site can restore. */
export type SavedVersion = { type: RunItem['type']; slug: string; version: string };

/** Chooses the items that a site can restore: of each item, the first requested version that the site has saved. */
export function chooseSavedVersions(requested: RunItem[], saved: SavedVersion[]): RunItem[] {
  return [...Map.groupBy(requested, toKey).values()].flatMap((choices) => {
    for (const choice of choices) {
      const found = saved.find(
        (item) =>
          toKey(item) === toKey(choice) && isSameVersion(item.version, choice.version ?? ''),
      );
      if (found) return [{ ...choice, version: found.version }];
    }
    return [];
  });
}

const toKey = ({ type, slug }: Pick<RunItem, 'type' | 'slug'>) => `${type} ${slug}`;
