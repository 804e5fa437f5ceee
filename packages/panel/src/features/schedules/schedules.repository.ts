import type { ScheduleFailureCode } from '@steward/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { inNaturalOrder } from '../../platform/database/natural-order.ts';
import { isActiveUser } from '../access-tokens/index.ts';
import { ALL_SITES, type CurrentUser, isCreatedBy } from '../site-access/index.ts';
import { tables } from './database.ts';
import type { LastStart } from './due-day.ts';
import type { ScheduleTables } from './tables.ts';
import type { WindowPlan } from './windows.ts';

export type ScheduleRow = Omit<
  Selectable<ScheduleTables['schedules']>,
  'opens_at' | 'closes_at'
> & {
  /** "02:00" */
  opens_at: string;
  closes_at: string;
};

/** Read as text: the driver would convert dates to the time zone of the process, and times would have seconds. */
const TIME_COLUMNS = [
  sql<string | null>`schedules.once_on::text`.as('once_on'),
  sql<string | null>`schedules.last_day::text`.as('last_day'),
  sql<string>`to_char(schedules.opens_at, 'HH24:MI')`.as('opens_at'),
  sql<string>`to_char(schedules.closes_at, 'HH24:MI')`.as('closes_at'),
];

function selectSchedules(db: Database) {
  return tables(db).selectFrom('schedules').selectAll('schedules').select(TIME_COLUMNS);
}

export type ListedSchedule = ScheduleRow & {
  created_by_name: string | null;
  /** The scope of the sites of the user of the schedule. A deleted user: all sites. */
  scope: number;
  /** Whether the user of the schedule may update sites. */
  user_may_update: boolean;
  last_run_id: number | null;
  last_rollout_id: number | null;
};

/** Owners see all schedules; other users see their own. */
export function listSchedules(
  db: Database,
  user: CurrentUser,
  now: Date,
): Promise<ListedSchedule[]> {
  return selectSchedules(db)
    .select([
      sql<string | null>`(SELECT name FROM users WHERE id = schedules.created_by)`.as(
        'created_by_name',
      ),
      sql<number>`coalesce((SELECT CASE role WHEN 'owner' THEN ${ALL_SITES}::bigint ELSE id END
        FROM users WHERE id = schedules.created_by), ${ALL_SITES})`.as('scope'),
      sql<boolean>`EXISTS (SELECT FROM users WHERE users.id = schedules.created_by AND ${isActiveUser(now)}
        AND users.role <> 'viewer')`.as('user_may_update'),
      sql<number | null>`(SELECT max(id) FROM runs WHERE schedule_id = schedules.id)`.as(
        'last_run_id',
      ),
      sql<number | null>`(SELECT max(id) FROM rollouts WHERE schedule_id = schedules.id)`.as(
        'last_rollout_id',
      ),
    ])
    .$if(user.role !== 'owner', (query) => query.where(isCreatedBy(user, 'created_by')))
    .orderBy(inNaturalOrder(sql`name`))
    .orderBy('id')
    .execute();
}

export function listEnabledSchedules(db: Database): Promise<ScheduleRow[]> {
  return selectSchedules(db).where('enabled', '=', true).orderBy('id').execute();
}

export function findSchedule(db: Database, id: number): Promise<ScheduleRow | undefined> {
  return selectSchedules(db).where('id', '=', id).executeTakeFirst();
}

type Fields = Omit<Insertable<ScheduleTables['schedules']>, 'last_day' | 'last_error_code'>;
type Changes = Partial<Fields> & { last_day?: null; last_error_code?: null };

export async function insertSchedule(trx: Trx, fields: Fields): Promise<number> {
  const row = await tables(trx)
    .insertInto('schedules')
    .values(fields)
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Call this before locking the runs of the schedule: afterwards the scheduler cannot start another run. */
export async function lockSchedule(trx: Trx, id: number): Promise<void> {
  await tables(trx).selectFrom('schedules').select('id').where('id', '=', id).forUpdate().execute();
}

/** Locks the schedule against being stopped. Returns undefined if it was deleted. */
export function lockForRun(trx: Trx, id: number): Promise<ScheduleRow | undefined> {
  return selectSchedules(trx).where('id', '=', id).forKeyShare().executeTakeFirst();
}

export async function updateSchedule(trx: Trx, id: number, fields: Changes): Promise<void> {
  await tables(trx).updateTable('schedules').set(fields).where('id', '=', id).execute();
}

export async function deleteSchedule(trx: Trx, id: number): Promise<void> {
  await tables(trx).deleteFrom('schedules').where('id', '=', id).execute();
}

/**
 * Records the day as handled. Returns false if another process has already handled it, or a user disabled the schedule.
 */
export async function markDay(
  trx: Trx,
  id: number,
  day: string,
  { failure, sitesLeftOut }: { failure: ScheduleFailureCode | null; sitesLeftOut: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tables(trx)
    .updateTable('schedules')
    .set({ last_day: day, last_error_code: failure, sites_left_out: sitesLeftOut })
    .where('id', '=', id)
    .where('enabled', '=', true)
    .where((eb) => eb.or([eb('last_day', 'is', null), eb('last_day', '<', day)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function hasActiveRollout(db: Database, id: number): Promise<boolean> {
  const rollouts = tables(db).selectFrom('rollouts').select('id').where('schedule_id', '=', id);
  const active = rollouts.where('status', 'in', ['running', 'soaking']).limit(1);
  return (await active.executeTakeFirst()) !== undefined;
}

/** Returns whether the user is the bot user of an access token. */
export async function isBotUser(db: Database, userId: number | null): Promise<boolean> {
  const bots = tables(db).selectFrom('users').select('id').where('bot_of', 'is not', null);
  return (await bots.where('id', '=', userId).executeTakeFirst()) !== undefined;
}

/** Lists the time zones that sites report. */
export async function listTimeZones(db: Database): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom('sites')
    .select('time_zone')
    .distinct()
    .where('time_zone', 'is not', null)
    .where('archived_at', 'is', null)
    .execute();
  return rows.flatMap(({ time_zone }) => time_zone ?? []);
}

export async function readTimeZones(db: Database, siteIds: number[]): Promise<Map<number, string>> {
  const rows = await tables(db)
    .selectFrom('sites')
    .select(['id', 'time_zone'])
    .where('id', '=', sql<number>`ANY(${siteIds}::bigint[])`)
    .where('time_zone', 'is not', null)
    .execute();
  return new Map(rows.map(({ id, time_zone }) => [id, time_zone ?? '']));
}

export const toWindowPlan = (schedule: ScheduleRow): WindowPlan => ({
  weekdays: schedule.weekdays,
  onceOn: schedule.once_on,
  opensAt: schedule.opens_at,
  closesAt: schedule.closes_at,
  alsoOn: schedule.last_day,
});

export const toLastStart = (schedule: ScheduleRow): LastStart => ({
  lastDay: schedule.last_day,
  failure: schedule.last_error_code,
  activeSince: schedule.active_since,
});
