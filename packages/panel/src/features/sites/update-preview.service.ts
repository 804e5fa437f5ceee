import {
  type OfferedItem,
  PREVIEW_SITES_MAX,
  REMOTE_OBSTACLES,
  type RemoteObstacle,
  type UpdatePreview,
  type VersionWarning,
} from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import { readVersionWarnings } from '../release-health/index.ts';
import { createHoldFinder, type HoldFinder } from '../rules/index.ts';
import { type CurrentUser, isVisibleTo, scopeOf } from '../site-access/index.ts';
import { siteStatusSql } from './search/index.ts';
import {
  listOfferedItems,
  readSitesToUpdate,
  type SiteToUpdate,
} from './update-preview.repository.ts';

/** Predicts the effect of an update from the stored reports, without calling a site. */
export type UpdatePreviewService = {
  read(user: CurrentUser, siteIds: number[]): Promise<UpdatePreview>;
};

type Dependencies = { db: Database; clock: Clock };

export function createUpdatePreviewService({ db, clock }: Dependencies): UpdatePreviewService {
  return {
    async read(user, siteIds) {
      const ids = [...new Set(siteIds)];
      const now = clock.now();
      const sites = await readSitesToUpdate(db, ids, isVisibleTo(user, 's'), siteStatusSql(now));
      const skipped = sites.filter(hasObstacle);
      const callable = sites.filter((site) => !hasObstacle(site));
      const finder = await createHoldFinder(db, toIds(callable), { now, onlyPending: true });
      const withUpdates = callable.filter(hasUpdates);
      const held = withUpdates.filter((site) => isRefused(site, finder));
      const refused = new Set(held);
      const toUpdate = withUpdates.filter((site) => !refused.has(site));
      const choosable = withUpdates.filter((site) => site.supports_items);
      const supported = toUpdate.filter((site) => site.supports_items);
      const unsupported = toUpdate.filter((site) => !site.supports_items);
      const items = splitByHold(await listOfferedItems(db, toIds(choosable)), finder);
      const scope = scopeOf(user);
      return {
        to_update: {
          site_ids: toIds(toUpdate),
          pending: sumPending(toUpdate),
          sites: toNames(supported),
          items: addWarnings(items, await readVersionWarnings(db, items, { scope, now })),
        },
        items_unsupported: { site_ids: toIds(unsupported), sites: toNames(unsupported) },
        held: {
          count: held.length,
          sites: held.slice(0, PREVIEW_SITES_MAX).map(({ id, name }) => ({
            ...{ id, name },
            explanation:
              finder?.listHeld(id)[0]?.hold.explanation ?? finder?.explainOutdatedSite(id) ?? '',
          })),
        },
        nothing_pending: { site_ids: toIds(callable.filter((site) => !hasUpdates(site))) },
        skipped: {
          count: skipped.length,
          sites: skipped
            .slice(0, PREVIEW_SITES_MAX)
            .map(({ id, name, status }) => ({ id, name, status })),
        },
        not_found: ids.length - sites.length,
      };
    },
  };
}

function hasObstacle(site: SiteToUpdate): site is SiteToUpdate & { status: RemoteObstacle } {
  return (REMOTE_OBSTACLES as readonly string[]).includes(site.status);
}

/** The run refuses a site if all its updates are held, or if it cannot leave out held versions. */
function isRefused(site: SiteToUpdate, finder: HoldFinder | null): boolean {
  if (!finder) return false;
  if (!site.supports_items) return finder.concernsReportedItem(site.id);
  const pending = finder.listPending(site.id);
  const held = pending.filter(({ hold }) => hold !== null);
  return held.length > 0 && held.length === pending.length;
}

/** Sites on which the same update is held for the same reason share one entry. */
function splitByHold(items: OfferedItem[], finder: HoldFinder | null): OfferedItem[] {
  if (!finder) return items;
  return items.flatMap((item) => {
    const byHold = Map.groupBy(item.site_ids, (id) => finder.findPendingHold(Number(id), item));
    // Equal holds of different installed versions are different objects.
    const byContent = Map.groupBy(byHold, ([hold]) => JSON.stringify(hold));
    return [...byContent.values()].map((groups) => {
      const hold = groups[0]?.[0] ?? null;
      const site_ids = groups.flatMap(([, ids]) => ids);
      return { ...item, site_ids, ...(hold && { hold: finder.explain(hold) }) };
    });
  });
}

function addWarnings(items: OfferedItem[], warnings: VersionWarning[]): OfferedItem[] {
  return items.map((item) => {
    const warning = warnings.find(
      ({ type, slug, version }) =>
        type === item.type && slug === item.slug && version === item.version,
    );
    return warning ? { ...item, warning } : item;
  });
}

const hasUpdates = (site: SiteToUpdate) =>
  site.pending_plugins + site.pending_themes + site.pending_core > 0;

const toNames = (sites: SiteToUpdate[]) =>
  sites.slice(0, PREVIEW_SITES_MAX).map(({ id, name }) => ({ id, name }));

const toIds = (sites: SiteToUpdate[]) => sites.map(({ id }) => id);

function sumPending(sites: SiteToUpdate[]): UpdatePreview['to_update']['pending'] {
  const sum = (field: 'pending_plugins' | 'pending_themes' | 'pending_core') =>
    sites.reduce((total, site) => total + site[field], 0);
  return {
    plugins: sum('pending_plugins'),
    themes: sum('pending_themes'),
    core: sum('pending_core'),
  };
}
