import { isSameVersion, RUN_ITEMS_MAX, type ScheduleFailureCode } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import { isTimeZone } from '../../platform/time-zone.ts';
import { findActiveUser } from '../access-tokens/index.ts';
import type { RolloutService } from '../rollouts/index.ts';
import {
  chooseUpdates,
  listSchedulesWithClosedWindows,
  listUnfinishedSites,
  type PlannedOffer,
  type RunService,
  type UpdatePlanService,
} from '../runs/index.ts';
import type { SiteListService } from '../sites/index.ts';
import { isChosen, isForAllUpdates } from './chosen-items.ts';
import { findDueDay } from './due-day.ts';
import { createWindowFinder, listZonesFor, replanWindows } from './schedule-windows.ts';
import {
  hasActiveRollout,
  isBotUser,
  listEnabledSchedules,
  listTimeZones,
  markDay,
  type ScheduleRow,
  toLastStart,
  toWindowPlan,
} from './schedules.repository.ts';

export type StartDependencies = {
  db: Database;
  clock: Clock;
  log: Logger;
  runs: Pick<RunService, 'createWithin'>;
  rollouts: Pick<RolloutService, 'createWithin' | 'listWaitingForProof'>;
  siteList: Pick<SiteListService, 'select'>;
  updatePlan: Pick<UpdatePlanService, 'plan'>;
};

type User = { id: number; role: 'owner' | 'manager' | 'viewer' };

/** Starts the schedules that are due. Tasks whose window closed before their call get the next window. */
export async function startDueSchedules(deps: StartDependencies): Promise<void> {
  await moveClosedWindows(deps);
  const schedules = await listEnabledSchedules(deps.db);
  if (schedules.length === 0) return;
  const siteZones = (await listTimeZones(deps.db)).filter(isTimeZone);
  for (const schedule of schedules) {
    const zones = schedule.in_site_zone ? [...siteZones, schedule.time_zone] : [schedule.time_zone];
    // The zones of all sites: most passes end here, without reading the selection of each schedule.
    if (dueDay(schedule, zones, deps) === null) continue;
    await startSchedule(schedule, deps).catch((err) =>
      deps.log.error({ err, schedule: schedule.id }, 'Could not start a schedule; retrying.'),
    );
  }
}

const dueDay = (schedule: ScheduleRow, zones: string[], { clock }: StartDependencies) =>
  findDueDay({ ...toWindowPlan(schedule), ...toLastStart(schedule) }, zones, clock.now());

async function startSchedule(schedule: ScheduleRow, deps: StartDependencies): Promise<void> {
  const { db, clock, siteList, updatePlan } = deps;
  const user = await findActiveUser(db, schedule.created_by, clock.now());
  const selected = user && (await siteList.select(user, schedule.selection));
  const zones = await listZonesFor(db, schedule, selected?.site_ids ?? []);
  const day = dueDay(schedule, zones, deps);
  if (day === null) return;
  const skip = (failure: ScheduleFailureCode | null, sitesLeftOut = 0) =>
    db
      .transaction()
      .execute(
        async (trx) => void (await markDay(trx, schedule.id, day, { failure, sitesLeftOut })),
      );
  if (!user || !selected) {
    return skip((await isBotUser(db, schedule.created_by)) ? 'token_ended' : 'user_disabled');
  }
  if (user.role === 'viewer') return skip('user_may_not_update');
  const { site_ids, is_complete } = selected;
  if (!is_complete) return skip('too_many_sites');
  if (site_ids.length === 0) return skip('no_matching_site');
  // A new start must not overtake the active rollout, whose later rings may still have to start.
  if (await hasActiveRollout(db, schedule.id)) return skip('last_start_unfinished');
  // The sites that are left of earlier starts continue in this window. A second task would only wait for the first.
  const unfinished = await listUnfinishedSites(db, schedule.id);
  const freeSites = site_ids.filter((siteId) => !unfinished.has(siteId));
  if (freeSites.length === 0) return skip('last_start_unfinished');
  const isAll = isForAllUpdates(schedule);
  const plan = await updatePlan.plan(user, freeSites);
  // One held version must not stop the others. The items beyond the limit of a run follow in the next window.
  const choice = chooseUpdates(plan, isAll ? null : (item) => isChosen(schedule, item));
  const { offers, held, unsupportedIds } = choice;
  const waiting = schedule.in_rings ? await deps.rollouts.listWaitingForProof(schedule.id) : [];
  // Otherwise each window would start, and halt, another rollout with the same versions.
  const unblocked = offers.filter((item) => !waiting.some((other) => isSameItem(item, other)));
  const items = (schedule.in_rings ? chooseVersions(unblocked) : offers).slice(0, RUN_ITEMS_MAX);
  const sitesLeftOut = unsupportedIds.length;
  const siteIds = isAll ? choice.siteIds : [...new Set(items.flatMap((item) => item.site_ids))];
  if (siteIds.length === 0) {
    if (unblocked.length < offers.length) return skip('waits_for_proof', sitesLeftOut);
    if (held.size > 0) return skip('held_version', sitesLeftOut);
    return skip(sitesLeftOut > 0 ? 'plugin_too_old' : null, sitesLeftOut);
  }
  try {
    const chosen = { user, siteIds, items: isAll ? null : items, sitesLeftOut };
    await start(schedule, day, chosen, deps);
  } catch (error) {
    // A reason for the user, such as a quarantined version. Other errors are retried.
    if (!(error instanceof AppError)) throw error;
    await skip(error.code);
  }
}

type Start = {
  user: User;
  siteIds: number[];
  /** Null: all pending updates of the sites. */
  items: PlannedOffer[] | null;
  sitesLeftOut: number;
};

async function start(
  schedule: ScheduleRow,
  day: string,
  { user, siteIds, items, sitesLeftOut }: Start,
  { db, clock, runs, rollouts }: StartDependencies,
): Promise<void> {
  const origin = schedule.origin as AuditOrigin;
  await db.transaction().execute(async (trx) => {
    // Locks the schedule. Another process has handled this day otherwise, or a user has disabled the schedule.
    if (!(await markDay(trx, schedule.id, day, { failure: null, sitesLeftOut }))) return;
    if (schedule.in_rings) {
      const versions = (items ?? []).map(({ type, slug, version, name }) => ({
        ...{ type, slug, version, name },
      }));
      const settings = { proof_percent: schedule.proof_percent };
      const request = { name: schedule.name, site_ids: siteIds, items: versions, settings };
      await rollouts.createWithin(trx, user, { ...request, scheduleId: schedule.id }, origin);
      return;
    }
    // The day may not be in the plan, because it makes up for a missed one. As the last day, its window counts too.
    const started = { ...schedule, last_day: day };
    const windowOf = await createWindowFinder(trx, started, siteIds, clock.now());
    const requested = items?.map(({ type, slug, version }) => ({ type, slug, version }));
    const request = requested ? { items: requested } : {};
    const ofSchedule = { id: schedule.id, windowOf };
    const input = { kind: 'update', siteIds, request, schedule: ofSchedule } as const;
    await runs.createWithin(trx, user, input, origin);
  });
}

/**
 * A rollout installs one version of each item. Chooses the version that most sites offer. The other sites are left out:
 * they would refuse this version.
 */
function chooseVersions(items: PlannedOffer[]): PlannedOffer[] {
  const byItem = Map.groupBy(items, ({ type, slug }) => `${type} ${slug}`);
  return [...byItem.values()].flatMap((offers) =>
    offers.toSorted((a, b) => b.site_ids.length - a.site_ids.length).slice(0, 1),
  );
}

const isSameItem = (a: Version, b: Version) =>
  a.type === b.type && a.slug === b.slug && isSameVersion(a.version, b.version);
type Version = Pick<PlannedOffer, 'type' | 'slug' | 'version'>;

/** Gives the next window to the tasks whose window closed before their call. */
async function moveClosedWindows({ db, clock }: StartDependencies): Promise<void> {
  const now = clock.now();
  for (const id of await listSchedulesWithClosedWindows(db, now)) {
    await db.transaction().execute((trx) => replanWindows(trx, id, now, { onlyClosed: true }));
  }
}
