import {
  DEFAULT_RINGS,
  DEFAULT_ROLLOUT_SETTINGS,
  type ScheduleNextStep,
  type SiteSelectionQuery,
} from '@steward/contract';
import { count, formatNumber } from '../lib/format.ts';
import { formatInZone } from '../lib/time-zones.ts';
import { describeSelection, type NameOfClient } from './site-selection.ts';

const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

const dayFormat = new Intl.DateTimeFormat('en', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});
const OPENING = {
  weekday: 'long',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const;

/** "Tuesday, November 17" */
const formatLocalDay = (day: string): string => dayFormat.format(new Date(`${day}T00:00Z`));
const shortDayFormat = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
/** "Tue, Nov 17" */
const formatShortDay = (day: string): string => shortDayFormat.format(new Date(`${day}T00:00Z`));
/** "Tuesday, Nov 17, 02:00", in a time zone; by default in that of the browser. */
export const formatOpening = (iso: string, zone?: string): string =>
  formatInZone(new Date(iso), OPENING, zone);

type Plan = {
  weekdays: number[];
  once_on: string | null;
  opens_at: string;
  closes_at: string;
  time_zone: string;
  in_site_zone: boolean;
};

function describeDays({ weekdays, once_on }: Pick<Plan, 'weekdays' | 'once_on'>): string {
  if (once_on !== null) return `Once, on ${formatLocalDay(once_on)},`;
  if (weekdays.length === 7) return 'Every day';
  if (weekdays.join() === '1,2,3,4,5') return 'Monday to Friday';
  return weekdays.map((day) => `${WEEKDAYS[day - 1]}s`).join(', ');
}

/** The time of a window as its schedule counts it: on a Tuesday of the site, not of the reader. */
function describeOpening(opensAt: string, { time_zone, in_site_zone }: ZonePlan): string {
  const local = formatOpening(opensAt, time_zone);
  return `${local}, ${in_site_zone ? 'local time of each site' : `in ${time_zone.replaceAll('_', ' ')}`}`;
}

type ZonePlan = Pick<Plan, 'time_zone' | 'in_site_zone'>;

const describeZone = ({ time_zone, in_site_zone }: ZonePlan) =>
  in_site_zone ? 'in the time zone of each site' : `in ${time_zone.replaceAll('_', ' ')}`;

/** "Tuesdays 02:00–05:00 in the time zone of each site" */
const when = (plan: Plan): string =>
  `${describeDays(plan)} ${plan.opens_at}–${plan.closes_at} ${describeZone(plan)}`;

const TYPES = { plugin: 'plugins', theme: 'themes', core: 'core' } as const;
type Type = keyof typeof TYPES;

const listTypes = (types: readonly Type[]): string =>
  new Intl.ListFormat('en').format(
    (Object.keys(TYPES) as Type[])
      .filter((type) => types.includes(type))
      .map((type) => TYPES[type]),
  );

type Item = { name: string };
type Updates = { types: readonly Type[]; items: readonly Item[] };
const NAMED_ITEMS_MAX = 3;

/** "plugins and themes", or "Shop Kit, Forms, Cache and 2 more" */
function listUpdates({ types, items }: Updates): string {
  return items.length === 0 ? listTypes(types) : listItems(items);
}

function listItems(items: readonly Item[]): string {
  const names = items.slice(0, NAMED_ITEMS_MAX).map(({ name }) => name);
  const more = items.length - names.length;
  return new Intl.ListFormat('en').format(
    more === 0 ? names : [...names, `${formatNumber(more)} more`],
  );
}

/** The schedules page and its dialogs. */
export const schedulesMessages = {
  title: 'Schedules',
  note: 'Updates that start by themselves, in windows of time that you choose',
  create: 'Create schedule',
  emptyTitle: 'No schedules yet',
  empty:
    'A schedule installs pending updates at night or on chosen days, in the time zone of each site.',
  when,
  what: (
    updates: Updates,
    selection: SiteSelectionQuery,
    inRings: boolean,
    nameOfClient: NameOfClient,
  ) =>
    `Updates ${listUpdates(updates)} on ${describeSelection(selection, nameOfClient)}${inRings ? ', in rings' : ''}`,

  table: {
    label: 'Schedules',
    name: 'Name',
    when: 'When',
    next: 'Next window',
    last: 'Last window',
    enabled: 'Enabled',
    actionsColumn: 'Actions',
    openNow: 'Open now',
    opening: describeOpening,
    phoneNext: (next: string) => `Next window: ${next}`,
    over: 'Finished',
    off: 'Disabled',
    never: 'Never',
    lastDay: (day: string) => formatShortDay(day),
    notStarted: (day: string) => `Not started, ${formatShortDay(day)}`,
    run: (id: number) => `Last run: ${id}`,
    rollout: (id: number) => `Last rollout: ${id}`,
    switchLabel: (name: string) => `Enable ${name}`,
    actions: (name: string) => `Actions for ${name}`,
    edit: 'Edit…',
    delete: 'Delete…',
    showSites: 'Show its sites',
    switchedOn: (name: string) => `${name} is enabled.`,
    didNotStart: (day: string | null, reason: string) =>
      `Did not start${day === null ? '' : ` on ${formatLocalDay(day)}`}: ${reason}`,
    /** The next step after a schedule did not start. */
    nextSteps: {
      choose_sites: 'Edit the schedule and choose other sites.',
      take_over: 'Edit the schedule and save a change. It then runs with your access.',
      update_plugin: 'Update the Steward plugin on these sites.',
      wait: 'Steward tries again in the next window.',
    } satisfies Record<ScheduleNextStep, string>,
    missingItems: (items: readonly Item[]) =>
      `No site has ${listItems(items)} any more. Edit the schedule and remove ${items.length === 1 ? 'it' : 'them'}.`,
    leftOut: (sites: number) =>
      `The last start left out ${count(sites, 'site')}: the Steward plugin there is too old to update single items. Update the Steward plugin on ${sites === 1 ? 'this site' : 'these sites'}.`,
    /** Replaces `wait` for a disabled schedule. */
    enableToRetry:
      'Enable the schedule to try again. If its day has passed, first edit it and choose a later day.',
  },

  calendar: {
    title: 'Next 14 days',
    label: 'Windows of the next 14 days',
    note: 'Times are in your time zone. “Site time” is the local time of each site.',
    nothing: 'No window opens in the next 14 days.',
    today: 'Today',
    times: (opens: string, closes: string) => `${opens}–${closes}`,
    siteTime: (times: string) => `${times} site time`,
    /** A window that opened before today. */
    until: (closes: string) => `until ${closes}`,
    windowTitle: (plan: Plan) => when(plan),
  },

  dialog: {
    createTitle: 'Create schedule',
    editTitle: (name: string) => `Edit ${name}`,
    name: 'Name',
    namePlaceholder: 'Weekly updates',
    sites: 'Sites',
    siteOptions: {
      all: 'All sites',
      client: 'Sites of a client',
      tag: 'Sites with a tag',
      filters: 'The filters of the site list',
    },
    client: 'Client',
    tag: 'Tag',
    tagPlaceholder: 'Choose a tag',
    noTags: 'No site has a tag yet.',
    filters: (selection: Record<string, string | undefined>, nameOfClient: NameOfClient) => {
      const text = describeSelection(selection, nameOfClient);
      return text.charAt(0).toUpperCase() + text.slice(1);
    },
    matching: (sites: number, isComplete: boolean) =>
      isComplete
        ? `${count(sites, 'site matches', 'sites match')} now. Each start takes the sites that match at that time.`
        : `More than ${formatNumber(sites)} sites match. A schedule can update at most ${formatNumber(sites)} sites: choose fewer.`,
    counting: 'Counting sites…',
    updates: 'Updates',
    updateOptions: {
      types: 'All updates of these types',
      items: 'Only chosen plugins, themes and core',
    },
    typesLabel: 'Types',
    items: 'Plugins, themes and core',
    itemsNote: 'Only their updates are installed, on each matching site that has them.',
    tooManyItems: (most: number) => `Choose at most ${most}.`,
    types: { plugin: 'Plugins', theme: 'Themes', core: 'Core' },
    noTypes: 'Choose at least one.',
    when: 'When',
    whenOptions: { tonight: 'Tonight', day: 'One day', week: 'Days of the week' },
    day: 'Day',
    weekdays: 'Days of the week',
    weekdayNames: WEEKDAYS,
    shortWeekdays: WEEKDAYS.map((day) => day.slice(0, 3)),
    noDays: 'Choose at least one day.',
    opens: 'From',
    closes: 'To',
    noLength: 'The window must not open and close at the same time.',
    closesNextDay: 'On the next day',
    zone: 'Time zone',
    zoneOptions: { site: 'Time zone of each site', fixed: 'One time zone' },
    fixedZone: 'Time zone',
    fallbackZone: 'For sites that report no time zone',
    how: 'How',
    howOptions: {
      once: 'All sites at once',
      rings: 'In rings, and halt if a version causes trouble',
    },
    rings: describeRings(),
    save: 'Save changes',
    takesOver: (name: string) =>
      `The schedule updates only sites that ${name} may see. If you choose other sites, it updates those that you may see.`,
    needsNewUser: (name: string) =>
      `${name} can no longer update sites. Save a change: the schedule then updates the sites that you may see.`,
    /** Describes the schedule while the user fills in the form. */
    summary: (updates: Updates, sites: string, plan: Plan) =>
      `Updates ${listUpdates(updates)} on ${sites}. ${when(plan)}.`,
    summarySites: describeSelection,
    next: (day: string, opensAt: string, inSiteZone: boolean) =>
      `Next: ${formatLocalDay(day)} at ${opensAt}${inSiteZone ? ', local time of each site' : ''}.`,
    noNext: 'This window is in the past. Choose a later day.',
    effect: (sites: number, updates: number) =>
      sites === 0
        ? 'These sites have no pending update at the moment.'
        : `If it started now, it would install ${count(updates, 'update')} on ${count(sites, 'site')}.`,
    leftOut: (sites: number) => `Left out: ${count(sites, 'site')}.`,
    closing: (isOneDay: boolean) =>
      `When the window closes, updates in progress finish, and the other sites wait for ${isOneDay ? 'a second window at the same time on the following day' : 'the next window'}.`,
    created: (name: string) => `${name} is created.`,
    saved: (name: string) => `${name} is saved.`,
  },

  stop: {
    deleteTitle: (name: string) => `Delete ${name}?`,
    disableTitle: (name: string) => `Disable ${name}?`,
    delete: 'Delete schedule',
    disable: 'Disable schedule',
    effect:
      'The schedule starts no more updates. Sites that still wait for their update or for a window are not updated.',
    deletedRollouts: 'Rollouts of this schedule end, also halted ones.',
    disabledRollouts: 'A running rollout of this schedule ends; a halted one stays.',
    keptUpdates: 'Sites in progress finish, and completed updates are kept.',
    canEnable:
      'You can enable it again. A schedule on one day can be enabled until its window closes.',
    deleted: (name: string) => `${name} is deleted.`,
    disabled: (name: string) => `${name} is disabled.`,
  },

  scheduleUpdates: 'Schedule updates…',
} as const;

function describeRings(): string {
  const rings = DEFAULT_RINGS.map(({ name, tag }) => (tag ? `${name} (tag “${tag}”)` : name));
  const { soak_minutes, first_ring_max_troubled, later_max_troubled_percent } =
    DEFAULT_ROLLOUT_SETTINGS;
  return (
    `${rings.join(', then ')}. Each ring waits ${soak_minutes} minutes for trouble. Trouble on ` +
    `${count(first_ring_max_troubled + 1, 'site')} of the first ring, or on more than ` +
    `${later_max_troubled_percent} % of a later ring, halts the rollout.`
  );
}
