import { isDeepStrictEqual } from 'node:util';
import {
  type AuditAction,
  DEFAULT_ROLLOUT_SETTINGS,
  type Schedule,
  type ScheduleRequest,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { isTimeZone } from '../../platform/time-zone.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import { cancelRolloutsOfSchedule } from '../rollouts/index.ts';
import { cancelRuns, isEmptyWindow, windowState } from '../runs/index.ts';
import type { CurrentUser } from '../site-access/index.ts';
import { createMissingMarker, nameItems } from './chosen-items.ts';
import { FIRST_ZONE, findMissedDay, isOver, LAST_ZONE } from './due-day.ts';
import { replanWindows } from './schedule-windows.ts';
import {
  deleteSchedule,
  insertSchedule,
  type ListedSchedule,
  listSchedules,
  lockSchedule,
  type ScheduleRow,
  toLastStart,
  toWindowPlan,
  updateSchedule,
} from './schedules.repository.ts';
import {
  addDays,
  currentOrNextWindow,
  isDay,
  localDay,
  startsOn,
  type WindowPlan,
  windowOn,
} from './windows.ts';

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  notificationOutbox: Pick<NotificationOutbox, 'emit'>;
};

const SCHEDULES_MAX = 200;
const UPCOMING_DAYS = 14;

export type ScheduleService = ReturnType<typeof createScheduleService>;

/** Creates, changes and shows schedules. A schedule acts with the access of its user; `update` can change this user. */
export function createScheduleService({ db, clock, audit, notificationOutbox }: Dependencies) {
  return {
    async list(user: CurrentUser) {
      const now = clock.now();
      const schedules = await listSchedules(db, user, now);
      const upcoming = schedules
        .filter(({ enabled }) => enabled)
        .flatMap((schedule) => listUpcoming(schedule, now))
        .sort((a, b) => a.opens_at.localeCompare(b.opens_at));
      const markMissing = await createMissingMarker(db, schedules);
      return { schedules: schedules.map((each) => toView(each, markMissing(each), now)), upcoming };
    },

    async show(user: CurrentUser, id: number): Promise<Schedule> {
      const schedule = await findOrThrow(db, user, id, clock.now());
      const markMissing = await createMissingMarker(db, [schedule]);
      return toView(schedule, markMissing(schedule), clock.now());
    },

    async create(user: CurrentUser, body: ScheduleRequest, origin: AuditOrigin): Promise<number> {
      const request = addAbsentFields(body);
      const fields = parseRequest(request);
      assertNotPast(request, clock.now());
      return db.transaction().execute(async (trx) => {
        if ((await listSchedules(trx, user, clock.now())).length >= SCHEDULES_MAX) {
          const message = `The limit of ${SCHEDULES_MAX} schedules is reached. Delete a schedule that you no longer need.`;
          throw new AppError('invalid_request', { message });
        }
        const now = clock.now();
        const created = { created_by: user.id, created_at: now, active_since: now, origin };
        const items = JSON.stringify(await nameItems(trx, user, request.items));
        const id = await insertSchedule(trx, { ...fields, items, ...created });
        await record(trx, origin, 'create', id, request);
        return id;
      });
    },

    /**
     * A user who changes the selection has chosen the sites, so the schedule uses the access of this user. Other
     * changes keep the user of the schedule: an owner who corrects the name of a manager's schedule must not add sites
     * to it. Any change, except enabling or disabling, replaces a user who may no longer update sites.
     */
    update: (user: CurrentUser, id: number, body: ScheduleRequest, origin: AuditOrigin) =>
      db.transaction().execute(async (trx) => {
        const request = addAbsentFields(body);
        await lockSchedule(trx, id);
        const before = await findOrThrow(trx, user, id, clock.now());
        const items = await nameItems(trx, user, request.items, before.items);
        const fields = { ...parseRequest(request), items };
        const isNew = (name: keyof typeof fields) => !isDeepStrictEqual(before[name], fields[name]);
        const hasNewPlan = PLAN_FIELDS.some(isNew);
        const hasNewUser =
          isNew('selection') ||
          (!before.user_may_update && (hasNewPlan || OTHER_FIELDS.some(isNew)));
        if (request.enabled && (hasNewPlan || !before.enabled)) assertNotPast(request, clock.now());
        if (!request.enabled) await cancelUncalledWork(trx, id, { origin, isDeleted: false });
        await updateSchedule(trx, id, {
          ...fields,
          items: JSON.stringify(items),
          // The last day belongs to the old plan.
          ...(hasNewPlan && { last_day: null, last_error_code: null, sites_left_out: 0 }),
          ...((hasNewPlan || !before.enabled) && { active_since: clock.now() }),
          ...(hasNewUser && { created_by: user.id, origin }),
        });
        if (request.enabled && hasNewPlan) await replanWindows(trx, id, clock.now());
        await record(trx, origin, 'update', id, request);
      }),

    /** Deletes a schedule, and cancels its rollouts and its tasks whose site was not called. */
    remove: (user: CurrentUser, id: number, origin: AuditOrigin) =>
      db.transaction().execute(async (trx) => {
        await lockSchedule(trx, id);
        const { name } = await findOrThrow(trx, user, id, clock.now());
        await cancelUncalledWork(trx, id, { origin, isDeleted: true });
        await deleteSchedule(trx, id);
        await record(trx, origin, 'delete', id, { name });
      }),
  };

  async function cancelUncalledWork(
    trx: Trx,
    id: number,
    { origin, isDeleted }: { origin: AuditOrigin; isDeleted: boolean },
  ): Promise<void> {
    const deps = { clock, audit, notificationOutbox };
    await cancelRolloutsOfSchedule(trx, id, origin, { ...deps, isDeleted });
    await cancelRuns(trx, { scheduleId: id }, { origin, reason: 'schedule_stopped' }, deps);
  }

  function record(
    trx: Trx,
    origin: AuditOrigin,
    action: AuditAction<'schedule'>,
    entityId: number,
    context: AuditEntry<'schedule'>['context'],
  ): Promise<void> {
    return audit.record(trx, origin, { action, entityType: 'schedule', entityId, context });
  }
}

async function findOrThrow(
  db: Database,
  user: CurrentUser,
  id: number,
  now: Date,
): Promise<ListedSchedule> {
  const schedule = (await listSchedules(db, user, now)).find((row) => row.id === id);
  if (!schedule) throw new AppError('schedule_not_found');
  return schedule;
}

const PLAN_FIELDS = [
  'weekdays',
  'once_on',
  'opens_at',
  'closes_at',
  'time_zone',
  'in_site_zone',
] as const;
const OTHER_FIELDS = ['name', 'types', 'items', 'in_rings', 'proof_percent'] as const;

type CompleteRequest = Required<ScheduleRequest>;

const addAbsentFields = (request: ScheduleRequest): CompleteRequest => ({
  types: [],
  items: [],
  weekdays: [],
  once_on: null,
  proof_percent: DEFAULT_ROLLOUT_SETTINGS.proof_percent,
  ...request,
});

function assertNotPast(request: CompleteRequest, now: Date): void {
  if (request.once_on === null) return;
  const window = windowOn(toPlan(request), request.once_on, request.time_zone);
  if (windowState(window, now) !== 'closed') return;
  const message = 'This window is in the past. Choose a later day.';
  throw new AppError('invalid_request', { message });
}

function parseRequest(request: CompleteRequest) {
  const { items, ...rest } = request;
  const { weekdays, once_on, opens_at, closes_at, time_zone, types } = rest;
  const invalid = (message: string) => new AppError('invalid_request', { message });
  if (!isTimeZone(time_zone))
    throw invalid(`Unknown time zone: ${time_zone}. Use a name such as Europe/Berlin.`);
  if ((types.length === 0) === (items.length === 0)) {
    throw invalid('Choose either types of updates, or single plugins and themes.');
  }
  if ((weekdays.length === 0) === (once_on === null)) {
    throw invalid('Choose either days of the week or one date.');
  }
  if (opens_at === closes_at) throw invalid('The window must not open and close at the same time.');
  if (once_on !== null && !isDay(once_on)) throw invalid(`${once_on} is not a valid date.`);
  return {
    ...rest,
    types: [...new Set(types)],
    weekdays: [...new Set(weekdays)].sort(),
    selection: request.selection,
  };
}

const toPlan = (request: CompleteRequest) => ({
  weekdays: request.weekdays,
  onceOn: request.once_on,
  opensAt: request.opens_at,
  closesAt: request.closes_at,
});

function toView(schedule: ListedSchedule, items: Schedule['items'], now: Date): Schedule {
  const {
    id,
    enabled,
    created_by_name,
    user_may_update: _may,
    created_at,
    active_since: _since,
    origin: _,
    created_by: _by,
    scope: _scope,
    ...fields
  } = schedule;
  const missedDay = enabled ? findMissed(schedule, now) : null;
  return {
    schedule_id: id,
    ...fields,
    items,
    ...(missedDay !== null && { last_day: missedDay, last_error_code: 'missed_window' }),
    enabled,
    next_opens_at: enabled ? nextOpening(schedule, now) : null,
    created_at: created_at.toISOString(),
    created_by: created_by_name,
  };
}

const toPlanWithLastStart = (schedule: ScheduleRow) => ({
  ...toWindowPlan(schedule),
  ...toLastStart(schedule),
});

function findMissed(schedule: ScheduleRow, now: Date): string | null {
  const { time_zone, in_site_zone } = schedule;
  // Without reading the zones of the sites: a day has passed when it has passed in all zones.
  const zones = in_site_zone ? [time_zone, FIRST_ZONE, LAST_ZONE] : [time_zone];
  const before = addDays(localDay(time_zone, now), 1);
  return findMissedDay(toPlanWithLastStart(schedule), zones, { before, now });
}

/** The plan with the day on which a missed start is made up. */
function toPlanAhead(schedule: ScheduleRow, now: Date): WindowPlan {
  const plan = toWindowPlan(schedule);
  if (plan.onceOn !== null || findMissed(schedule, now) === null) return plan;
  const daily = { ...plan, weekdays: [1, 2, 3, 4, 5, 6, 7] };
  const { opensAt } = currentOrNextWindow(daily, schedule.time_zone, now);
  return { ...plan, alsoOn: localDay(schedule.time_zone, opensAt) };
}

/** Returns null for a single start that is over. */
function nextOpening(schedule: ScheduleRow, now: Date): string | null {
  if (isOver(toPlanWithLastStart(schedule))) return null;
  const plan = toPlanAhead(schedule, now);
  return currentOrNextWindow(plan, schedule.time_zone, now).opensAt.toISOString();
}

function listUpcoming(schedule: ScheduleRow, now: Date) {
  const plan = toPlanAhead(schedule, now);
  const today = localDay(schedule.time_zone, now);
  // From yesterday, whose window may still be open.
  const days = Array.from({ length: UPCOMING_DAYS + 2 }, (_, index) => addDays(today, index - 1));
  const starts = isOver(toPlanWithLastStart(schedule))
    ? []
    : days.filter((day) => startsOn(plan, day));
  // A single start is shown once, although a missed one may start on any later day.
  return starts
    .map((day) => windowOn(plan, day, schedule.time_zone))
    .filter((window) => !isEmptyWindow(window) && windowState(window, now) !== 'closed')
    .slice(0, schedule.once_on === null ? undefined : 1)
    .map(({ opensAt, closesAt }) => ({
      schedule_id: schedule.id,
      name: schedule.name,
      opens_at: opensAt.toISOString(),
      closes_at: closesAt.toISOString(),
    }));
}
