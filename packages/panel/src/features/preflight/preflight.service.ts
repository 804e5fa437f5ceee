import {
  BACKUP_RECENT_HOURS,
  findUncheckedReason,
  isBackupRecent,
  isSameVersion,
  type PendingItem,
  PREFLIGHT_REASONS,
  PREVIEW_SITES_MAX,
  type Preflight,
  type PreflightFinding,
  type PreflightGroup,
  type PreflightReason,
  predictFailures,
  REMOTE_OBSTACLES,
  SITE_FAILURES,
  type UpdateItem,
  wouldFailCompletely,
} from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import { readVersionWarnings } from '../release-health/index.ts';
import { type CurrentUser, isVisibleTo, scopeOf } from '../site-access/index.ts';
import { siteStatusSql } from '../sites/index.ts';
import { readPendingItems, readSitesToCheck, type SiteToCheck } from './preflight.repository.ts';

/** Predicts from the stored reports on which sites an update would fail, and why. Calls no site. */
export type PreflightService = {
  /** Without `items`: an update that installs every pending update. */
  read(
    user: Pick<CurrentUser, 'id' | 'role'>,
    siteIds: number[],
    items?: UpdateItem[],
  ): Promise<Preflight>;
};

type Dependencies = { db: Database; clock: Clock };

type CheckedSite = { site: SiteToCheck; pending: PendingItem[]; findings: PreflightFinding[] };

export function createPreflightService({ db, clock }: Dependencies): PreflightService {
  return {
    async read(user, siteIds, items) {
      const now = clock.now();
      const ids = [...new Set(siteIds)];
      const scope = scopeOf(user as CurrentUser);
      const visible = isVisibleTo(user as CurrentUser, 's');
      const sites = await readSitesToCheck(db, ids, visible, {
        status: siteStatusSql(now),
        now,
      });
      const pendingItems = await readPendingItems(
        db,
        sites.map(({ id }) => id),
      );
      const pendingBySite = Map.groupBy(pendingItems, ({ site_id }) => site_id);
      const checked = sites.map((site): CheckedSite => {
        const pending = (pendingBySite.get(site.id) ?? [])
          .filter((item) => isChosen(item, items))
          .map(({ site_id, ...item }) => item);
        return { site, pending, findings: predictFailures(toFacts(site, pending), now) };
      });
      const unchecked = sites.flatMap((site) => {
        const reason = findUncheckedReason(toFacts(site, []), now);
        // If the panel may not call the site, the result is certain without a report.
        return reason === null || findObstacle(site) !== null ? [] : [{ site, reason }];
      });
      return {
        groups: groupByReason(checked),
        warnings: await readVersionWarnings(db, listVersions(checked), { scope, now }),
        certain_site_ids: checked.filter(failsForCertain).map(({ site }) => site.id),
        unchecked: {
          count: unchecked.length,
          sites: unchecked.slice(0, PREVIEW_SITES_MAX).map(({ site, reason }) => ({
            id: site.id,
            name: site.name,
            reason,
            reported_at: site.preflight_at?.toISOString() ?? null,
          })),
        },
        without_backup: listWithoutBackup(sites, now),
        checked: sites.length - unchecked.length,
        not_found: ids.length - sites.length,
      };
    },
  };
}

/** Without the sites that the panel may not call: the update leaves them out. */
function listWithoutBackup(sites: SiteToCheck[], now: Date): Preflight['without_backup'] {
  const found = sites.filter(
    (site) =>
      findObstacle(site) === null && !isBackupRecent(site.backed_up_at, BACKUP_RECENT_HOURS, now),
  );
  return {
    count: found.length,
    sites: found.slice(0, PREVIEW_SITES_MAX).map(({ id, name, backed_up_at }) => ({
      id,
      name,
      backed_up_at: backed_up_at?.toISOString() ?? null,
    })),
  };
}

/** The versions that the update would install, each once. */
function listVersions(checked: CheckedSite[]): PendingItem[] {
  const items = checked.flatMap(({ pending }) => pending);
  return [
    ...new Map(items.map((item) => [`${item.type} ${item.slug} ${item.version}`, item])).values(),
  ];
}

const findObstacle = ({ status }: SiteToCheck) =>
  REMOTE_OBSTACLES.find((obstacle) => obstacle === status) ?? null;

function toFacts(site: SiteToCheck, pending: PendingItem[]) {
  return {
    obstacle: findObstacle(site),
    unreachable: describeOutage(site),
    phpVersion: site.php_version,
    cmsVersion: site.cms_version,
    report: site.preflight,
    reportedAt: site.preflight_at,
    pending,
  };
}

/**
 * If a recent ping found the site down, its reason counts. Otherwise the fault of the last call counts: calls can fail
 * although visitors reach the site.
 */
function describeOutage({ reachability, down_reason, fault, fault_error }: SiteToCheck) {
  if (reachability === 'down') return SITE_FAILURES[down_reason ?? 'site_down'].message;
  return fault === 'not_reachable' ? fault_error : null;
}

function isChosen(item: PendingItem, chosen: UpdateItem[] | undefined): boolean {
  if (!chosen) return true;
  return chosen.some(
    ({ type, slug, version }) =>
      type === item.type &&
      slug === item.slug &&
      isSameVersion(version ?? item.version, item.version),
  );
}

const failsForCertain = ({ findings, pending }: CheckedSite) =>
  wouldFailCompletely(
    findings.filter(({ isCertain }) => isCertain),
    pending,
  );

/** Groups that are certain come first. Then the order of PREFLIGHT_REASONS decides. */
function groupByReason(checked: CheckedSite[]): PreflightGroup[] {
  const reasons = Object.keys(PREFLIGHT_REASONS) as PreflightReason[];
  const keys = [true, false].flatMap((isCertain) =>
    reasons.map((reason) => ({ reason, isCertain })),
  );
  const entries = checked.flatMap((site) => splitByReason(site));
  const byKey = Map.groupBy(entries, ({ reason, isCertain }) => `${reason} ${isCertain}`);
  return keys.flatMap(({ reason, isCertain }) => {
    const group = byKey.get(`${reason} ${isCertain}`);
    return group ? [toGroup(reason, isCertain, group)] : [];
  });
}

type Entry = {
  reason: PreflightReason;
  isCertain: boolean;
  failsCompletely: boolean;
  site: PreflightGroup['sites'][number];
};

/** Returns one entry for each reason of a site, with all items that fail for this reason. */
function splitByReason({ site, pending, findings }: CheckedSite): Entry[] {
  const isTotal = wouldFailCompletely(findings, pending);
  const byKey = Map.groupBy(findings, ({ reason, isCertain }) => `${reason} ${isCertain}`);
  return [...byKey.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const items = group.flatMap((finding) => finding.items.map(({ active, ...item }) => item));
    const errors = group.map(({ error, items: failing }) =>
      failing.length > 0 && !(isTotal && failing.length > 1)
        ? `${nameItems(failing)}: ${error}`
        : error,
    );
    const { id, name } = site;
    return [
      {
        reason: first.reason,
        isCertain: first.isCertain,
        failsCompletely: items.length === 0 || isTotal,
        site: { id, name, error: errors.join(' '), items },
      },
    ];
  });
}

const NAMED_ITEMS = 3;

/** Names only the first items. The field `items` contains all. */
function nameItems(items: PendingItem[]): string {
  const named = items.slice(0, NAMED_ITEMS).map(({ name }) => name);
  const others = items.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more`] : [])].join(', ');
}

function toGroup(reason: PreflightReason, isCertain: boolean, entries: Entry[]): PreflightGroup {
  const idsOf = (isTotal: boolean) =>
    entries.filter(({ failsCompletely }) => failsCompletely === isTotal).map(({ site }) => site.id);
  return {
    reason,
    message: PREFLIGHT_REASONS[reason],
    is_certain: isCertain,
    site_ids: idsOf(true),
    partial_site_ids: idsOf(false),
    sites: entries.slice(0, PREVIEW_SITES_MAX).map(({ site }) => site),
  };
}
