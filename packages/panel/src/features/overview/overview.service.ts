import { type Overview, REMOTE_OBSTACLES, roleMay, SITE_STATUSES } from '@steward/contract';
import { type SqlBool, sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/tables.ts';
import type { AuditWatch } from '../audit/index.ts';
import type { LicenseListService } from '../licenses/index.ts';
import { isVisibleTo, type Viewer } from '../site-access/index.ts';
import { isUpdatable, siteStatusSql } from '../sites/index.ts';
import { countByStatus, mostOutdatedPlugins, type StatusCount } from './overview.repository.ts';

/** The fleet in numbers. Updates count where they can be run: on sites that are connected. */
export type OverviewService = { read(user: Viewer): Promise<Overview> };

type Dependencies = {
  db: Database;
  clock: Clock;
  licenses: Pick<LicenseListService, 'expiringWithin'>;
  auditWatch: Pick<AuditWatch, 'warning'>;
};

const MOST_OUTDATED = 10;
const EXPIRY_NOTICE_DAYS = 30;
/** Counting a large fleet takes a while, and its numbers may be a few seconds old. */
const KEEP_FROM_SITES = 10_000;
const KEEP_MS = 5000;

/** All that is counted; a warning is not, and is never a few seconds old. */
type Numbers = Omit<Overview, 'audit_warning'>;

export function createOverviewService(deps: Dependencies): OverviewService {
  const { db, clock, licenses, auditWatch } = deps;
  const kept = new Map<string, { numbers: Promise<Numbers>; until: number }>();

  async function count(user: Viewer): Promise<Numbers> {
    const now = clock.now();
    const visible = isVisibleTo(user, 's');
    const updatable = sql<SqlBool>`${visible} AND ${isUpdatable(now)}`;
    const [counts, outdated_plugins, expiring_licenses] = await Promise.all([
      countByStatus(db, visible, siteStatusSql(now)),
      mostOutdatedPlugins(db, updatable, MOST_OUTDATED),
      roleMay(user.role, 'owner') ? licenses.expiringWithin(EXPIRY_NOTICE_DAYS) : null,
    ]);
    return { ...summarize(counts), outdated_plugins, expiring_licenses };
  }

  return {
    async read(user) {
      // The audit log tells of every site and every user, so its warnings are for owners.
      const audit_warning = roleMay(user.role, 'owner') ? auditWatch.warning() : null;
      return { ...(await countOrKnown(user)), audit_warning };
    },
  };

  async function countOrKnown(user: Viewer): Promise<Numbers> {
    const nowMs = clock.now().getTime();
    for (const [key, { until }] of kept) if (until <= nowMs) kept.delete(key);
    // Owners see the same.
    const key = user.role === 'owner' ? 'owner' : String(user.id);
    const known = kept.get(key);
    if (known) return known.numbers;
    const numbers = count(user);
    // Whoever asks meanwhile waits for the same count.
    kept.set(key, { numbers, until: nowMs + KEEP_MS });
    const isLarge = await numbers
      .then(({ sites }) => sites.total > KEEP_FROM_SITES)
      .catch(() => false);
    if (!isLarge) kept.delete(key);
    return numbers;
  }
}

function summarize(counts: StatusCount[]): Pick<Overview, 'sites' | 'pending'> {
  const of = (status: string) => counts.find((each) => each.status === status)?.sites ?? 0;
  const isStopped = (status: string) => (REMOTE_OBSTACLES as readonly string[]).includes(status);
  // The sites that the filter `updatable` finds, and an update would run on.
  const updatable = counts.filter(({ status }) => !isStopped(status));
  const sum = (rows: StatusCount[], field: Exclude<keyof StatusCount, 'status'>) =>
    rows.reduce((total, row) => total + row[field], 0);
  return {
    sites: {
      total: sum(counts, 'sites'),
      by_status: Object.fromEntries(
        SITE_STATUSES.map((status) => [status, of(status)]),
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
