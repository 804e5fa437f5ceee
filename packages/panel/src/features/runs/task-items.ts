import type { HeldItems, RunKind } from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import { chooseItems } from './choose-items.ts';
import { choosePackages } from './choose-packages.ts';
import { chooseSavedVersions } from './choose-saved-versions.ts';
import { refusedResult, type TaskResult } from './outcome/task-outcome.ts';
import type { RunItem, RunRequest } from './tables.ts';
import { listInstalledItems, listSavedVersions, listUsedFolders } from './task-items.repository.ts';

/**
 * `items`: the items that the call to the site names; null if it names none. `refusal`: set if the site gets no call.
 */
export type TaskItems = {
  items: RunItem[] | null;
  refusal: TaskResult | null;
  /** What a rule or a quarantine holds back on this site. */
  held?: HeldItems | null;
};

export type ItemChooser = (siteId: number) => TaskItems;

/** How a run of each kind finds the items of a site, and the code of the refusal if there are none. */
const CHOOSER_FACTORIES: Partial<Record<RunKind, ChooserFactory>> = {
  update: toChooserFactory('items_not_installed', listInstalledItems, chooseItems),
  restore: toChooserFactory('saved_version_missing', listSavedVersions, chooseSavedVersions),
  install: toChooserFactory('already_installed', listUsedFolders, choosePackages),
};

/** Chooses the items for each site from its last report. */
export async function createItemChooser(
  db: Database,
  { kind, request }: { kind: RunKind; request: RunRequest },
  siteIds: number[],
): Promise<ItemChooser> {
  const createChooser = CHOOSER_FACTORIES[kind];
  if (!request.items || !createChooser) return () => ({ items: null, refusal: null });
  return createChooser(db, siteIds, request.items);
}

type ChooserFactory = (
  db: Database,
  siteIds: number[],
  requested: RunItem[],
) => Promise<ItemChooser>;

function toChooserFactory<Reported extends { site_id: number }>(
  refusal: 'items_not_installed' | 'saved_version_missing' | 'already_installed',
  list: (db: Database, siteIds: number[], requested: RunItem[]) => Promise<Reported[]>,
  choose: (requested: RunItem[], reported: Reported[]) => RunItem[],
): ChooserFactory {
  return async (db, siteIds, requested) => {
    const reported = Map.groupBy(await list(db, siteIds, requested), ({ site_id }) => site_id);
    return (siteId) => {
      const items = choose(requested, reported.get(siteId) ?? []);
      return { items, refusal: items.length === 0 ? refusedResult(refusal) : null };
    };
  };
}
