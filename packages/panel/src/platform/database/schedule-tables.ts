import type { ScheduleSelection, SoftwareType } from '@steward/contract';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** "2026-06-02": the driver returns dates as text, because a date has no time zone. */
type Day = ColumnType<string, string, string>;
type NullableDay = ColumnType<string | null, string | null, string | null>;
/** "02:00:00" */
type Time = ColumnType<string, string, string>;

export type ScheduleTables = {
  schedules: {
    id: GeneratedAlways<number>;
    name: string;
    selection: ScheduleSelection;
    types: SoftwareType[];
    weekdays: number[];
    once_on: NullableDay;
    opens_at: Time;
    closes_at: Time;
    time_zone: string;
    in_site_zone: boolean;
    in_rings: boolean;
    enabled: boolean;
    last_day: Generated<Day | null>;
    last_error: Generated<string | null>;
    origin: Record<string, unknown>;
    created_by: number | null;
    created_at: Date;
  };
};
