import type { SoftwareType } from '@steward/contract';
import { NO_CLIENT } from '../../lib/clients-api.ts';
import { fromProofPercent, type PercentField, toProofPercent } from '../../lib/proof-percent.ts';
import { browserZone } from '../../lib/time-zones.ts';
import type { Schedule, ScheduleRequest, ScheduleSelection } from './api.ts';
import { findTonight, type LocalTime } from './window-times.ts';

/** An item that a schedule updates. */
export type ChosenItem = Pick<Schedule['items'][number], 'slug' | 'name'> & { type: SoftwareType };

/** The fields of the dialog. */
export type FormValues = {
  name: string;
  sites: 'all' | 'client' | 'tag' | 'filters';
  /** The id of a client. */
  client: string | null;
  tag: string | null;
  /** The filters of the site list, for `sites: 'filters'`. */
  filters: ScheduleSelection;
  /** All updates of the types, or only those of the items. */
  updates: 'types' | 'items';
  types: SoftwareType[];
  items: ChosenItem[];
  when: 'tonight' | 'day' | 'week';
  day: string;
  weekdays: number[];
  opens_at: string;
  closes_at: string;
  time_zone: string;
  in_site_zone: boolean;
  in_rings: boolean;
  /** Empty: one site. */
  proof_percent: PercentField;
};

const DEFAULTS = {
  name: '',
  // Without core, because a core update cannot be rolled back.
  updates: 'types' as const,
  types: ['plugin', 'theme'] as SoftwareType[],
  items: [] as ChosenItem[],
  when: 'week' as const,
  weekdays: [2],
  opens_at: '02:00',
  closes_at: '05:00',
  in_site_zone: true,
  in_rings: false,
  proof_percent: '',
};

/** The values of an existing schedule, or of a new one for this selection. */
export function toFormValues(
  schedule: Schedule | undefined,
  selection: ScheduleSelection,
  now: LocalTime,
): FormValues {
  const chosen = schedule?.selection ?? selection;
  const sites = chooseSitesField(chosen);
  const base = {
    sites,
    client: sites === 'client' ? (chosen.client_id ?? null) : null,
    tag: sites === 'tag' ? (chosen.tag ?? null) : null,
    filters: sites === 'filters' ? chosen : {},
  };
  if (!schedule)
    return { ...DEFAULTS, ...base, day: findTonight(DEFAULTS, now), time_zone: browserZone() };
  const { name, types, items, weekdays, once_on, opens_at, closes_at } = schedule;
  const { time_zone, in_site_zone, in_rings } = schedule;
  return {
    ...base,
    name,
    updates: items.length === 0 ? 'types' : 'items',
    types: items.length === 0 ? types : DEFAULTS.types,
    items,
    when: once_on === null ? 'week' : 'day',
    day: once_on ?? now.day,
    weekdays,
    opens_at,
    closes_at,
    time_zone,
    in_site_zone,
    in_rings,
    proof_percent: fromProofPercent(schedule.proof_percent),
  };
}

function chooseSitesField(selection: ScheduleSelection): FormValues['sites'] {
  const [filter, ...others] = Object.keys(selection);
  if (filter === undefined) return 'all';
  if (others.length > 0) return 'filters';
  if (filter === 'client_id' && selection.client_id !== NO_CLIENT) return 'client';
  return filter === 'tag' ? 'tag' : 'filters';
}

/** Returns null if the user has not chosen a client or tag yet. */
export function toSelection({ sites, client, tag, filters }: FormValues): ScheduleSelection | null {
  if (sites === 'all') return {};
  if (sites === 'filters') return filters;
  if (sites === 'client') return client === null ? null : { client_id: client };
  return tag === null ? null : { tag };
}

/** The maximum of the panel. */
export const ITEMS_MAX = 50;

/** Returns what the schedule updates. Null: nothing is chosen, or too much. */
export function toUpdates({ updates, types, items }: FormValues) {
  if (updates === 'types') return types.length === 0 ? null : { types, items: [] };
  return items.length === 0 || items.length > ITEMS_MAX ? null : { types: [], items };
}

/** Returns the days and times of the windows. `now` is the time in the zone of the schedule. */
export function toPlan(values: FormValues, now: LocalTime) {
  const { when, day, weekdays, opens_at, closes_at, time_zone, in_site_zone } = values;
  const times = { opens_at, closes_at, time_zone, in_site_zone };
  if (when === 'week') {
    return { ...times, weekdays: weekdays.toSorted((a, b) => a - b), once_on: null };
  }
  return { ...times, weekdays: [], once_on: when === 'day' ? day : findTonight(values, now) };
}

/** Returns the request, or null while a required field is missing. */
export function toScheduleRequest(
  values: FormValues,
  now: LocalTime,
  enabled: boolean,
): ScheduleRequest | null {
  const { name, in_rings } = values;
  const proof_percent = in_rings ? toProofPercent(values.proof_percent) : 0;
  const updates = toUpdates(values);
  const selection = toSelection(values);
  const plan = toPlan(values, now);
  const hasDays = plan.once_on === null ? plan.weekdays.length > 0 : plan.once_on !== '';
  const hasTimes = plan.opens_at !== '' && plan.closes_at !== '';
  if (!selection || !updates || !hasDays || !hasTimes || proof_percent === null) return null;
  if (name.trim() === '' || plan.opens_at === plan.closes_at) return null;
  const items = updates.items.map(({ type, slug }) => ({ type, slug }));
  return {
    name: name.trim(),
    selection,
    types: updates.types,
    items,
    in_rings,
    proof_percent,
    enabled,
    ...plan,
  };
}
