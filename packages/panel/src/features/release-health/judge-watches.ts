import type { WatchError } from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import { listItemErrors, type StoredError } from './item-errors.repository.ts';
import { judgeWatch } from './judge-watch.ts';
import {
  findReport,
  findSiteName,
  type LockedWatch,
  listLastWatches,
  listSitesToJudge,
  listWatchedRollouts,
  lockOpenWatches,
  type ReportRow,
  writeWatch,
} from './watches.repository.ts';

/** A watch with a confirmed error. */
export type TroubledWatch = LockedWatch & { error: WatchError };

export type JudgeDependencies = {
  db: Database;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  notificationOutbox: Pick<NotificationOutbox, 'emit'>;
  /**
   * Locks the rollouts, calls `save`, and halts the rollouts whose limit the troubled tasks exceed. Belongs to rollouts, which
   * read the watches.
   */
  guardRollouts<Saved extends { endedTaskIds: number[] }>(
    trx: Trx,
    rolloutIds: number[],
    save: () => Promise<Saved>,
  ): Promise<Saved>;
  /** Restores the saved version if a rule says so. Returns the id of the run. */
  restoreByRule(trx: Trx, watch: TroubledWatch): Promise<number | null>;
};

/** A site reports a confirmed error within two minutes. */
const FRESH_MS = 5 * 60_000;
/** Sites per pass of the worker. */
const SITES_PER_PASS = 100;

/** Judges the watches of all sites with new errors, and those that have ended. Several processes may do so at once. */
export async function judgeDueWatches(deps: JudgeDependencies): Promise<void> {
  const { db, clock, log } = deps;
  for (const siteId of await listSitesToJudge(db, clock.now(), SITES_PER_PASS)) {
    await db
      .transaction()
      .execute((trx) => judgeSite(trx, siteId, deps))
      .catch((error: Error) =>
        log.warn({ site: siteId, reason: error.message }, 'Could not judge an update; retrying.'),
      );
  }
}

async function judgeSite(trx: Trx, siteId: number, deps: JudgeDependencies): Promise<void> {
  const now = deps.clock.now();
  const rolloutIds = await listWatchedRollouts(trx, siteId, now);
  await deps.guardRollouts(trx, rolloutIds, async () => {
    const open = await lockOpenWatches(trx, siteId, now);
    const errors = await listItemErrors(trx, siteId);
    const report = await findReport(trx, siteId);
    const watches = await listLastWatches(trx, siteId);
    const endedTaskIds: number[] = [];
    for (const watch of open) {
      const evidence = { errors, watches, report, isReplaced: watch.is_replaced, now };
      const judged = judgeWatch(watch, evidence);
      const error = judged.error && toWatchError(judged.error);
      const lastAt = judged.error?.last_at ?? now;
      const isTroubled = judged.state === 'troubled' && error !== null;
      if (isTroubled) endedTaskIds.push(watch.task_id);
      await writeWatch(trx, watch, {
        ...{ state: judged.state, error },
        decided_at: judged.state === 'watching' ? null : (watch.decided_at ?? now),
        restore_run_id: isTroubled
          ? await handleTrouble(trx, { ...watch, error }, { report, lastAt }, deps)
          : watch.restore_run_id,
      });
    }
    return { endedTaskIds };
  });
}

/** Announces the trouble, and restores the saved version if a rule says so. Returns the id of the run that restores. */
async function handleTrouble(
  trx: Trx,
  watch: TroubledWatch,
  { report, lastAt }: { report: ReportRow | null; lastAt: Date },
  deps: JudgeDependencies,
): Promise<number | null> {
  await announceTrouble(trx, watch, deps);
  // Another holder of the license key can report errors of a site without a site key.
  const isOwnEvidence = report?.has_site_key === true;
  const mayRestore = isOwnEvidence && deps.clock.now() < watch.until && !watch.is_replaced;
  return mayRestore && isFresh(lastAt, report) ? deps.restoreByRule(trx, watch) : null;
}

/**
 * Whether the site had the error just before its report. After an older error, a user may have replaced the version by
 * hand, which the panel does not know before the next inventory.
 */
const isFresh = (lastAt: Date, { reported_at }: ReportRow) =>
  reported_at.getTime() - lastAt.getTime() < FRESH_MS;

/** Once for each version: further sites with this version have no news. */
async function announceTrouble(
  trx: Trx,
  { type, slug, name, to_version: version, site_id, error }: TroubledWatch,
  { notificationOutbox }: JudgeDependencies,
): Promise<void> {
  const site = await findSiteName(trx, site_id);
  await notificationOutbox.emit(trx, {
    type: 'version.troubled',
    key: `version.troubled ${type} ${slug} ${version}`,
    siteId: site_id,
    data: {
      ...{ item_type: type, slug, name, version, site_id, site_name: site?.name ?? '' },
      ...{ error: error.message, place: error.place },
    },
  });
}

const toWatchError = (error: StoredError): WatchError => ({
  type: error.type,
  slug: error.slug,
  version: error.version,
  message: error.message,
  place: error.place,
  request_kind: error.request_kind,
  is_confirmed: error.is_confirmed,
  at: error.first_at.toISOString(),
});
