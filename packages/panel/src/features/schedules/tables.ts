import type { ScheduleItem, ScheduleSelection, SoftwareType } from '@steward/contract';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

/** Only this feature writes these tables. */
export type ScheduleTables = {
  schedules: {
    id: GeneratedAlways<number>;
    name: string;
    selection: ScheduleSelection;
    /** Empty: only the `items`. */
    types: SoftwareType[];
    /** The driver would store an array as an array of PostgreSQL. */
    items: ColumnType<ChosenItem[], string, string>;
    sites_left_out: Generated<number>;
    weekdays: number[];
    once_on: NullableDay;
    opens_at: Time;
    closes_at: Time;
    time_zone: string;
    in_site_zone: boolean;
    in_rings: boolean;
    /** The share of the sites of a ring that must prove an item. 0: one site. */
    proof_percent: Generated<number>;
    enabled: boolean;
    last_day: ColumnType<string | null, string | undefined, string | null>;
    /** See `explainScheduleFailure`. */
    last_error_code: Generated<string | null>;
    /** Since when the schedule is enabled with its current plan. Earlier windows do not count as missed. */
    active_since: Date;
    origin: Record<string, unknown>;
    created_by: number | null;
    created_at: Date;
  };
};

/** The name is kept for when no site has the item any more. */
export type ChosenItem = ScheduleItem & { name: string };

/** "2026-06-02". Queries select it as text: the driver would convert it to the zone of the process. */
type NullableDay = ColumnType<string | null, string | null, string | null>;
/** "02:00:00" */
type Time = ColumnType<string, string, string>;

/** What other features may read. */
export type PublishedScheduleTables = {
  schedules: ReadOnly<ScheduleTables['schedules'], 'id' | 'name'>;
};
