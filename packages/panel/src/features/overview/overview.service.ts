import {
  CERTIFICATE_NOTICE_DAYS,
  type Overview,
  REMOTE_OBSTACLES,
  roleMay,
  SITE_STATUSES,
  type SoftwareQuery,
} from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { AuditMonitor } from '../audit/index.ts';
import { listExpiringCertificates } from '../health/index.ts';
import type { LicenseListService } from '../licenses/index.ts';
import type { RolloutService } from '../rollouts/index.ts';
import { type CurrentUser, isVisibleTo } from '../site-access/index.ts';
import { siteStatusSql, whereUpdatable } from '../sites/index.ts';
import { countSitesWithOlderStewardPlugin, type SoftwareService } from '../software/index.ts';
import { countByPhpVersion, countByStatus, type StatusCount } from './overview.repository.ts';
import { createUpdateHistory } from './update-history.ts';
import { summarizePhpVersions } from './versions-in-use.ts';

/** Counts sites, pending updates and versions. Pending updates count only on sites that can be updated now. */
export type OverviewService = { read(user: CurrentUser): Promise<Overview> };

type Dependencies = {
  db: Database;
  clock: Clock;
  licenses: Pick<LicenseListService, 'listExpiring'>;
  software: Pick<SoftwareService, 'list'>;
  auditMonitor: Pick<AuditMonitor, 'getWarning'>;
  rollouts: Pick<RolloutService, 'listHalted'>;
  /** The version of the Steward plugin that this panel ships; null if it ships none. */
  shippedPluginVersion: string | null;
};

const MOST_OUTDATED_PLUGINS: SoftwareQuery = {
  type: 'plugin',
  filter: 'outdated',
  sort: 'outdated',
  direction: 'desc',
  limit: '5',
};
const EXPIRY_NOTICE_DAYS = 30;
const SHOWN_CERTIFICATES = 3;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Counting more sites than this is slow, so the panel caches the counts for `CACHE_MS`. */
const CACHE_ABOVE_SITES = 10_000;
const CACHE_MS = 5000;

/** The part of the overview that is cached together. The history has its own cache; the other parts are never cached. */
type Counts = Omit<Overview, 'audit_warning' | 'halted_rollouts' | 'updates_by_day'>;

export function createOverviewService(deps: Dependencies): OverviewService {
  const { db, clock, licenses, software, auditMonitor, rollouts, shippedPluginVersion } = deps;
  const updateHistory = createUpdateHistory({ db, clock });
  const cache = new Map<string, { counts: Promise<Counts>; expiresAtMs: number }>();

  async function countSites(user: CurrentUser): Promise<Counts> {
    const now = clock.now();
    const visible = isVisibleTo(user, 's');
    const noticeEnd = new Date(now.getTime() + CERTIFICATE_NOTICE_DAYS * DAY_MS);
    const [counts, phpVersions, cms, plugins, expiring_licenses, olderPlugins, certificates] =
      await Promise.all([
        countByStatus(db, visible, siteStatusSql(now)),
        countByPhpVersion(db, visible, whereUpdatable(now)),
        software.list(user, { type: 'core' }),
        software.list(user, MOST_OUTDATED_PLUGINS),
        roleMay(user.role, 'owner') ? licenses.listExpiring(EXPIRY_NOTICE_DAYS) : null,
        shippedPluginVersion === null
          ? 0
          : countSitesWithOlderStewardPlugin(db, user, shippedPluginVersion),
        listExpiringCertificates(db, visible, noticeEnd, SHOWN_CERTIFICATES),
      ]);
    return {
      ...summarize(counts),
      without_item_updates: phpVersions.reduce((sum, row) => sum + row.without_item_updates, 0),
      older_steward_plugin: { sites: olderPlugins, shipped_version: shippedPluginVersion },
      outdated_plugins: plugins.software.map(({ slug, name, outdated_sites }) => ({
        plugin: slug,
        name,
        sites: outdated_sites,
      })),
      versions: { cms: cms.software[0] ?? null, php: summarizePhpVersions(phpVersions) },
      expiring_licenses,
      expiring_certificates: {
        count: certificates.count,
        sites: certificates.sites.map(({ expires_at, ...site }) => ({
          ...site,
          expires_at: expires_at.toISOString(),
        })),
      },
    };
  }

  return {
    async read(user) {
      // The audit log covers every site and user, so only owners see its warnings.
      const audit_warning = roleMay(user.role, 'owner') ? auditMonitor.getWarning() : null;
      const [counts, updates_by_day, halted_rollouts] = await Promise.all([
        readCounts(user),
        updateHistory.read(user),
        rollouts.listHalted(user),
      ]);
      return { ...counts, updates_by_day, audit_warning, halted_rollouts };
    },
  };

  async function readCounts(user: CurrentUser): Promise<Counts> {
    const nowMs = clock.now().getTime();
    for (const [key, { expiresAtMs }] of cache) if (expiresAtMs <= nowMs) cache.delete(key);
    // All owners see the same sites.
    const key = user.role === 'owner' ? 'owner' : String(user.id);
    const cached = cache.get(key);
    if (cached) return cached.counts;
    const counts = countSites(user);
    // Cache the promise, so that concurrent requests share one count.
    cache.set(key, { counts, expiresAtMs: nowMs + CACHE_MS });
    const isLarge = await counts
      .then(({ sites }) => sites.total > CACHE_ABOVE_SITES)
      .catch(() => false);
    if (!isLarge) cache.delete(key);
    return counts;
  }
}

function summarize(counts: StatusCount[]): Pick<Overview, 'sites' | 'pending'> {
  const countSitesWith = (status: string) =>
    counts.find((row) => row.status === status)?.sites ?? 0;
  const hasObstacle = (status: string) => (REMOTE_OBSTACLES as readonly string[]).includes(status);
  // Must agree with the filter `pending=updatable` and with the sites that an update includes.
  const updatable = counts.filter(({ status }) => !hasObstacle(status));
  const sum = (rows: StatusCount[], field: Exclude<keyof StatusCount, 'status'>) =>
    rows.reduce((total, row) => total + row[field], 0);
  return {
    sites: {
      total: sum(counts, 'sites'),
      by_status: Object.fromEntries(
        SITE_STATUSES.map((status) => [status, countSitesWith(status)]),
      ) as Overview['sites']['by_status'],
      with_updates: sum(updatable, 'with_updates'),
    },
    pending: {
      plugins: sum(updatable, 'plugins'),
      themes: sum(updatable, 'themes'),
      core: sum(updatable, 'core'),
    },
  };
}
