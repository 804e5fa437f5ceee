import type { UpdateItemType } from '@steward/contract';
import type { RunItem, RunRequest } from './tables.ts';
import type { TaskItems } from './task-items.ts';

/** `succeeded`: the slugs of the items that a partly failed task installed. */
export type RetriableTask = {
  site_id: number;
  items: RunItem[] | null;
  succeeded: Record<UpdateItemType, string[]> | null;
};

/** The keys of the items to retry on each site. A site that is not in the map retries all requested items. */
export type RetriedItems = ReadonlyMap<number, ReadonlySet<string>>;

/** Finds the items that did not succeed on each site. */
export function findRetriedItems(tasks: RetriableTask[]): RetriedItems {
  return new Map(
    tasks.flatMap(({ site_id, items, succeeded }) => {
      const left = (items ?? []).filter(({ type, slug }) => !succeeded?.[type].includes(slug));
      return left.length === 0 ? [] : [[site_id, new Set(left.map(toKey))]];
    }),
  );
}

/** Limits the request of a retry to the items that it retries on one of its sites, so that its title names only these. */
export function limitRequest(
  request: RunRequest,
  siteIds: number[],
  retried: RetriedItems | undefined,
): RunRequest {
  if (!request.items || !retried) return request;
  const keys = siteIds.map((siteId) => retried.get(siteId));
  const kept = request.items.filter((item) =>
    keys.some((ofSite) => !ofSite || ofSite.has(toKey(item))),
  );
  return kept.length > 0 ? { ...request, items: kept } : request;
}

/** Limits the items of one site to those that did not succeed there. */
export function limitTaskItems(
  chosen: TaskItems,
  ofSite: ReadonlySet<string> | undefined,
): TaskItems {
  const kept = ofSite && chosen.items?.filter((item) => ofSite.has(toKey(item)));
  // The site offers none of them any more: its response explains what changed.
  return kept && kept.length > 0 ? { ...chosen, items: kept } : chosen;
}

const toKey = ({ type, slug }: Pick<RunItem, 'type' | 'slug'>) => `${type} ${slug}`;
