import Type from 'typebox';
import { nullable, requiredText, stringEnum, timestamp, trueOnly } from './common.ts';
import { SiteSelectionQuery, SOFTWARE_TYPES } from './panel-sites-api.ts';

/** Chosen items of a schedule. */
export const SCHEDULE_ITEMS_MAX = 50;

/** Schedules: updates that start by themselves, and call each site only within a window. */

/** The filters of the list of sites, evaluated when the schedule starts. */
export const ScheduleSelection = SiteSelectionQuery;
export type ScheduleSelection = Type.Static<typeof ScheduleSelection>;

const time = () => Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' });
const day = () => Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });

export const ScheduleItem = Type.Object({
  type: stringEnum(SOFTWARE_TYPES),
  slug: requiredText(500),
});
export type ScheduleItem = Type.Static<typeof ScheduleItem>;

const NamedScheduleItem = Type.Object({
  ...ScheduleItem.properties,
  name: Type.String(),
  is_missing: Type.Boolean({ description: 'True: no site of the user of the schedule has it.' }),
});

const fields = {
  name: requiredText(100),
  selection: ScheduleSelection,
  types: Type.Array(stringEnum(SOFTWARE_TYPES), {
    maxItems: 3,
    description: 'All pending updates of these types are installed. Empty: only those of `items`.',
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
  proof_percent: Type.Number({
    minimum: 0,
    maximum: 100,
    description:
      'With `in_rings`: the share of the sites of a ring that must prove an item. 0: one site.',
  }),
  enabled: Type.Boolean(),
};

export const ScheduleRequest = Type.Object(
  {
    ...fields,
    types: Type.Optional(fields.types),
    proof_percent: Type.Optional(fields.proof_percent),
    items: Type.Optional(
      Type.Array(ScheduleItem, {
        maxItems: SCHEDULE_ITEMS_MAX,
        description: 'Only the pending updates of these plugins, themes and core are installed.',
      }),
    ),
    weekdays: Type.Optional(fields.weekdays),
    once_on: Type.Optional(fields.once_on),
  },
  {
    description:
      'With `types` or `items`, and with `weekdays` or `once_on`. The other one is empty, null or absent.',
  },
);
export type ScheduleRequest = Type.Static<typeof ScheduleRequest>;

export const Schedule = Type.Object({
  schedule_id: Type.Integer(),
  ...fields,
  items: Type.Array(NamedScheduleItem, {
    description: 'The chosen items. Empty: all items of the `types`.',
  }),
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
  sites_left_out: Type.Integer({
    description:
      'Sites of the last start with these updates that it left out, because their Steward plugin is too old to update single items.',
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
