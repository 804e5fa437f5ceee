import {
  isNewerVersion,
  PREVIEW_SITES_MAX,
  type RestoreItem,
  type RestorePreview,
  type RunKind,
  type RunPreview,
  type SkipReason,
} from '@steward/contract';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/handles.ts';
import { createHoldFinder, type HoldFinder } from '../../rules/index.ts';
import { type CurrentUser, isVisibleTo } from '../../site-access/index.ts';
import { siteStatusSql } from '../../sites/index.ts';
import { createItemPlanner } from '../hold-back.ts';
import { findObstacle } from '../plan/find-obstacle.ts';
import {
  type ReadSite,
  readInstalledVersions,
  readSitesToCall,
  readStewardVersions,
} from '../plan/sites-to-call.repository.ts';
import type { RunItem } from '../tables.ts';
import { listSavedVersions } from '../task-items.repository.ts';
import { findMissingCapability } from '../worker/required-capabilities.ts';

type Dependencies = {
  db: Database;
  clock: Clock;
  /** The version of the Steward plugin that this panel ships; null if it ships none. */
  shippedPluginVersion: string | null;
};

/** Returns why a run skips a site; null if it calls the site. */
type FindReason = (site: ReadSite) => SkipReason | null;

export type RunPreviewService = ReturnType<typeof createRunPreviewService>;

/** Predicts from the stored reports which sites a run will call, without calling a site. */
export function createRunPreviewService({ db, clock, shippedPluginVersion }: Dependencies) {
  return {
    async install(user: CurrentUser, siteIds: number[], items: RunItem[]): Promise<RunPreview> {
      const ids = [...new Set(siteIds)];
      const run = { kind: 'install', request: { items } } as const;
      const { chooseItems } = await createItemPlanner(db, run, ids, clock.now());
      return preview(user, ids, 'install', ({ id }) => {
        const code = chooseItems(id).refusal?.code;
        return code === 'already_installed' || code === 'held_version' ? code : null;
      });
    },

    async restore(
      user: CurrentUser,
      siteIds: number[],
      item: Pick<RestoreItem, 'type' | 'slug'>,
    ): Promise<RestorePreview> {
      const ids = [...new Set(siteIds)];
      const allSaved = await listSavedVersions(db, ids, [item]);
      const finder = await createHoldFinder(db, ids, { now: clock.now(), requested: allSaved });
      const saved = allSaved.filter((version) => {
        const installed = finder?.findInstalled(version.site_id, item)?.version ?? null;
        return !isVersionHeld(finder, version.site_id, version, installed);
      });
      const [sitesWithAny, restorable] = [allSaved, saved].map(
        (versions) => new Set(versions.map(({ site_id }) => site_id)),
      );
      const found = await preview(user, ids, 'restore', ({ id }) => {
        if (restorable?.has(id)) return null;
        return sitesWithAny?.has(id) ? 'held_version' : 'saved_version_missing';
      });
      const included = new Set(found.site_ids);
      const current = await readInstalledVersions(db, found.site_ids, item);
      const byVersion = Map.groupBy(
        saved.filter(({ site_id }) => included.has(site_id)),
        ({ version }) => version,
      );
      const versions = [...byVersion].map(([version, sites]) => ({
        version,
        current_versions: [...new Set(sites.map(({ site_id }) => current.get(site_id) ?? ''))],
        site_ids: sites.map(({ site_id }) => site_id),
      }));
      versions.sort((a, b) => (isNewerVersion(a.version, b.version) ? -1 : 1));
      return { ...found, versions };
    },

    async selfUpdate(user: CurrentUser, siteIds: number[]): Promise<RunPreview> {
      const ids = [...new Set(siteIds)];
      const versions = await readStewardVersions(db, ids);
      return preview(user, ids, 'self_update', ({ id }) => {
        const version = versions.get(id);
        if (version === undefined || shippedPluginVersion === null) return null;
        return isNewerVersion(shippedPluginVersion, version) ? null : 'up_to_date';
      });
    },
  };

  async function preview(
    user: CurrentUser,
    ids: number[],
    kind: RunKind,
    findReason: FindReason,
  ): Promise<RunPreview> {
    const now = clock.now();
    const status = siteStatusSql(now);
    const sites = await readSitesToCall(db, ids, isVisibleTo(user, 's'), status);
    const called: ReadSite[] = [];
    const skipped: RunPreview['skipped']['sites'] = [];
    for (const site of sites) {
      const reason =
        findObstacle(site, now) ??
        toSkipReason(findMissingCapability({ kind, items: [], capabilities: site.capabilities })) ??
        findReason(site);
      if (reason) skipped.push({ id: site.id, name: site.name, reason });
      else called.push(site);
    }
    return {
      site_ids: called.map(({ id }) => id),
      sites: called.slice(0, PREVIEW_SITES_MAX).map(({ id, name }) => ({ id, name })),
      skipped: { count: skipped.length, sites: skipped.slice(0, PREVIEW_SITES_MAX) },
      not_found: ids.length - sites.length,
    };
  }
}

function isVersionHeld(
  finder: HoldFinder | null,
  siteId: number,
  { type, slug, version }: RunItem,
  oldVersion: string | null,
): boolean {
  if (!finder || type === 'translation' || version === undefined) return false;
  return finder.find(siteId, { type, slug, version, oldVersion }) !== null;
}

function toSkipReason(code: ReturnType<typeof findMissingCapability>): SkipReason | null {
  return code === 'site_plugin_outdated' || code === 'signed_calls_required' ? code : null;
}
