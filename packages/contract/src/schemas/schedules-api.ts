import Type from 'typebox';
import { nullable, requiredText, stringEnum, timestamp, trueOnly } from './common.ts';
import { SiteSelectionQuery } from './panel-sites-api.ts';

/** Schedules: updates that start by themselves, and call each site only within a window. */

/** The filters of the list of sites, evaluated when the schedule starts. */
export const ScheduleSelection = SiteSelectionQuery;
export type ScheduleSelection = Type.Static<typeof ScheduleSelection>;

const time = () => Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' });
const day = () => Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });

const fields = {
  name: requiredText(100),
  selection: ScheduleSelection,
  types: Type.Array(stringEnum(['plugin', 'theme', 'core']), {
    minItems: 1,
    maxItems: 3,
    description: 'Which pending updates are installed.',
  }),
  weekdays: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    maxItems: 7,
    description: 'ISO days of the week, 1 is Monday. Empty: once, on `once_on`.',
  }),
  once_on: Type.Unsafe<string | null>({ ...day(), type: ['string', 'null'] }),
  opens_at: time(),
  closes_at: Type.String({
    ...time(),
    description: 'If it is not later than `opens_at`, the window closes on the next day.',
  }),
  time_zone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'A name of the IANA database, or an offset such as +02:00.',
  }),
  in_site_zone: Type.Boolean({
    description:
      'True: the times are in the zone of each site. `time_zone` is for sites that report none.',
  }),
  in_rings: Type.Boolean({ description: 'True: the schedule starts a rollout.' }),
  enabled: Type.Boolean(),
};

export const ScheduleRequest = Type.Object(
  {
    ...fields,
    weekdays: Type.Optional(fields.weekdays),
    once_on: Type.Optional(fields.once_on),
  },
  { description: 'With `weekdays` or `once_on`. The other one is empty, null or absent.' },
);
export type ScheduleRequest = Type.Static<typeof ScheduleRequest>;

export const Schedule = Type.Object({
  schedule_id: Type.Integer(),
  ...fields,
  next_opens_at: nullable.timestamp(),
  last_day: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The day on which the schedule was last due, whether it started or not.',
  }),
  last_run_id: nullable.integer(),
  last_rollout_id: nullable.integer(),
  last_error_code: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description:
      'Why the schedule did not start on `last_day`. Null: it started, or it had nothing to do.',
  }),
  created_at: timestamp(),
  created_by: nullable.string(),
});
export type Schedule = Type.Static<typeof Schedule>;

export const ScheduleResponse = Type.Object({ success: trueOnly(), schedule: Schedule });
export const SchedulesResponse = Type.Object({
  success: trueOnly(),
  schedules: Type.Array(Schedule),
  upcoming: Type.Array(
    Type.Object({
      schedule_id: Type.Integer(),
      name: Type.String(),
      opens_at: timestamp(),
      closes_at: timestamp(),
    }),
    {
      description:
        'The windows of the next 14 days, computed for the `time_zone` of each schedule.',
    },
  ),
});
