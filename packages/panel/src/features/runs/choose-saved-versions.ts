import { isSameVersion } from '@steward/contract';
import type { RunItem } from './tables.ts';

/** A replaced version that a site can restore. */
export type SavedVersion = { type: RunItem['type']; slug: string; version: string };

/**
 * Chooses the items that a site can restore: of each item, the requested version that the site replaced most recently.
 * `saved`: the most recently replaced first. This can be an older version than the next one, for example after a restore.
 */
export function chooseSavedVersions(requested: RunItem[], saved: SavedVersion[]): RunItem[] {
  return [...Map.groupBy(requested, toKey)].flatMap(([key, choices]) => {
    for (const { version } of saved.filter((item) => toKey(item) === key)) {
      const choice = choices.find((each) => isSameVersion(version, each.version ?? ''));
      if (choice) return [{ ...choice, version }];
    }
    return [];
  });
}

const toKey = ({ type, slug }: Pick<RunItem, 'type' | 'slug'>) => `${type} ${slug}`;
