import {
  CORE_SLUG,
  explainScheduleFailure,
  type Schedule,
  type ScheduleItem,
  type ScheduleRequest,
  ScheduleRequest as ScheduleRequestSchema,
  type SoftwareQuery,
} from '@steward/contract';
import { Command, InvalidArgumentError } from 'commander';
import Schema from 'typebox/schema';
import { formatLocalTime } from '../features/schedules/index.ts';
import { type CurrentUser, OPERATOR } from '../features/site-access/index.ts';
import type { Panel } from '../panel.ts';
import { parseList, parsePercent, parseScheduleId } from './arguments.ts';
import { findClient } from './clients/find-client.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';
import { findSlug } from './runs/plan-software.ts';

type JsonOption = { json?: true };
type Type = Schedule['types'][number];
type AddOptions = JsonOption & {
  name: string;
  user: string;
  tag?: string;
  client?: string;
  types: Type[];
  items?: ScheduleItem[];
  days?: number[];
  on?: string;
  from: string;
  to: string;
  zone: string;
  siteZone?: true;
  rings?: true;
  proof?: number;
};

const TYPES = ['plugin', 'theme', 'core'] as const;
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

export function createScheduleCommand(context: CommandContext): Command {
  const schedule = new Command('schedule').description('list, add and delete update schedules');

  schedule
    .command('list')
    .description('list all schedules and their next window')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: JsonOption) => {
      const { schedules } = await context.withPanel(({ services }) =>
        services.schedules.list(OPERATOR),
      );
      if (json) return context.printJson(schedules);
      if (schedules.length === 0)
        return context.printLine('No schedules yet. Add one with: steward schedule add');
      context.printTable(
        ['ID', 'NAME', 'USER', 'SITES', 'UPDATES', 'WHEN', 'NEXT WINDOW', 'LAST DUE', 'ERROR'],
        schedules.map((each) => [
          String(each.schedule_id),
          each.name,
          each.created_by ?? 'deleted user',
          formatSelection(each),
          formatUpdates(each),
          formatWhen(each),
          each.enabled ? formatNext(each, 'over') : 'disabled',
          each.last_day ?? 'never',
          formatProblem(each),
        ]),
      );
    });

  schedule
    .command('add')
    .description('add a schedule; it uses the site access of the user')
    .requiredOption('--name <text>', 'name of the schedule')
    .requiredOption('--user <email>', 'e-mail address of the user whose access it uses')
    .option('--tag <name>', 'only sites with this tag (default: all sites of the user)')
    .option('--client <client>', 'only sites of this client, by its name or id')
    .option('--types <list>', 'comma-separated: plugin, theme, core', parseTypes, [
      'plugin',
      'theme',
    ])
    .option(
      '--items <list>',
      'comma-separated: only these, in place of --types, such as plugin:shop,theme:storefront,core',
      parseItems,
    )
    .option(
      '--days <list>',
      'comma-separated days of the week, such as tue,fri; or daily',
      parseDays,
    )
    .option('--on <day>', 'once, on this day, such as 2027-01-31', parseDay)
    .requiredOption(
      '--from <time>',
      'time at which the window opens, such as 02:00',
      parseTimeOfDay,
    )
    .requiredOption(
      '--to <time>',
      'time at which the window closes, such as 05:00; if it is before --from, on the next day',
      parseTimeOfDay,
    )
    .option('--zone <name>', 'time zone, such as Europe/Berlin', 'UTC')
    .option('--site-zone', 'use the time zone of each site, and --zone for sites that report none')
    .option('--rings', 'update ring by ring; the rollout halts if too many sites have trouble')
    .option(
      '--proof <percent>',
      'with --rings: share of the sites of each ring on which the update must succeed (default: one site)',
      parsePercent,
    )
    .option('--json', 'print one JSON document')
    .action(async ({ json, user, ...options }: AddOptions) => {
      const request = toRequest(options);
      const { client } = options;
      const added = await context.withPanel((panel) => addSchedule(panel, user, request, client));
      if (json) return context.printJson(added);
      const next = formatNext(added, 'never');
      context.printLine(
        `Added schedule ${added.schedule_id}, ${added.name}: ${formatWhen(added)}. Next window: ${next}.`,
      );
    });

  schedule
    .command('delete')
    .description('delete a schedule; cancels its rollouts and the sites that it has not called yet')
    .argument('<id>', 'schedule id', parseScheduleId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { json }: JsonOption) => {
      const deleted = await context.withPanel(async ({ services }) => {
        const found = await services.schedules.show(OPERATOR, id);
        await services.schedules.remove(OPERATOR, id, COMMAND_LINE);
        return found;
      });
      if (json) context.printJson(deleted);
      else context.printLine(`Deleted schedule ${id}, ${deleted.name}.`);
    });

  return schedule;
}

async function addSchedule(
  { services }: Panel,
  email: string,
  request: ScheduleRequest,
  client: string | undefined,
): Promise<Schedule> {
  const { id, name, role, disabled } = await services.users.findByEmail(email);
  if (role === 'viewer' || disabled) {
    throw new Error(`${name} may not update sites. Name an enabled owner or manager.`);
  }
  const user = { id, role };
  const client_id =
    client === undefined ? null : findClient(await services.clients.list(user), client).id;
  const selection = {
    ...request.selection,
    ...(client_id !== null && { client_id: String(client_id) }),
  };
  const items = await findItems(services, user, request.items ?? []);
  const created = { ...request, items, selection };
  const scheduleId = await services.schedules.create(user, created, COMMAND_LINE);
  return services.schedules.show(OPERATOR, scheduleId);
}

/** Finds each plugin by its file or by its folder, as the other commands do. */
async function findItems(
  { software }: Panel['services'],
  user: CurrentUser,
  items: ScheduleItem[],
): Promise<ScheduleItem[]> {
  const api = {
    listSoftware: async (query: SoftwareQuery) => ({
      success: true as const,
      ...(await software.list(user, query)),
    }),
  };
  const found: ScheduleItem[] = [];
  for (const item of items) {
    found.push(item.type === 'core' ? item : { ...item, slug: await findSlug(api, item) });
  }
  return found;
}

function toRequest(options: Omit<AddOptions, 'json' | 'user'>): ScheduleRequest {
  const { name, tag, types, items = [], days = [], on, from, to, zone, siteZone } = options;
  const { rings, proof } = options;
  if (proof !== undefined && !rings) throw new Error('Use --proof with --rings.');
  const request: ScheduleRequest = {
    name,
    selection: tag === undefined ? {} : { tag },
    types: items.length > 0 ? [] : types,
    items,
    weekdays: days,
    once_on: on ?? null,
    opens_at: from,
    closes_at: to,
    time_zone: zone,
    in_site_zone: siteZone === true,
    in_rings: rings === true,
    proof_percent: proof ?? 0,
    enabled: true,
  };
  if ((days.length === 0) === (on === undefined)) throw new Error('Use one of --days and --on.');
  // The HTTP routes check requests with the same schema.
  const [isValid, errors] = Schema.Errors(ScheduleRequestSchema, request);
  if (isValid) return request;
  throw new Error(
    errors.map(({ instancePath, message }) => `${instancePath.slice(1)} ${message}`).join('; '),
  );
}

function parseTypes(text: string): Type[] {
  return parseList(text).map((word) => {
    const type = TYPES.find((each) => each === word);
    if (!type) throw new InvalidArgumentError(`It must be a list of ${TYPES.join(', ')}.`);
    return type;
  });
}

function parseItems(text: string): ScheduleItem[] {
  return parseList(text).map((word) => {
    if (word === CORE_SLUG) return { type: 'core', slug: CORE_SLUG };
    const [, type, slug = ''] = /^(plugin|theme):(.+)$/.exec(word) ?? [];
    if (type === 'plugin' || type === 'theme') return { type, slug };
    throw new InvalidArgumentError(
      'It must be a list such as plugin:shop,theme:storefront,core. Name a plugin by its folder or file.',
    );
  });
}

function parseDays(text: string): number[] {
  if (text === 'daily') return DAYS.map((_, index) => index + 1);
  return parseList(text.toLowerCase()).map((word) => {
    const index = DAYS.indexOf(word.slice(0, 3));
    if (index < 0)
      throw new InvalidArgumentError(`It must be daily, or a list of ${DAYS.join(', ')}.`);
    return index + 1;
  });
}

function parseDay(text: string): string {
  if (Schema.Check(ScheduleRequestSchema.properties.once_on, text)) return text;
  throw new InvalidArgumentError('It must be a day, such as 2027-01-31.');
}

function parseTimeOfDay(text: string): string {
  if (Schema.Check(ScheduleRequestSchema.properties.opens_at, text)) return text;
  throw new InvalidArgumentError('It must be a time from 00:00 to 23:59, such as 02:00.');
}

/** In the time zone of the schedule: the local day can be another one than in UTC. */
function formatNext({ next_opens_at, time_zone, in_site_zone }: Schedule, none: string): string {
  if (next_opens_at === null) return none;
  const local = formatLocalTime(new Date(next_opens_at), time_zone);
  return `${local} (${in_site_zone ? 'local time of each site' : time_zone})`;
}

function formatWhen(schedule: Schedule): string {
  const { weekdays, once_on, opens_at, closes_at, time_zone, in_site_zone } = schedule;
  const days = weekdays.length === 7 ? 'daily' : weekdays.map((day) => DAYS[day - 1]).join(',');
  const zone = in_site_zone ? `site zone, else ${time_zone}` : time_zone;
  return `${once_on ?? days} ${opens_at}-${closes_at} (${zone})`;
}

function formatUpdates({ types, items }: Schedule): string {
  return items.length === 0 ? types.join(',') : items.map(({ name }) => name).join(', ');
}

function formatProblem({ last_error_code, items, sites_left_out }: Schedule): string {
  const missing = items.filter(({ is_missing }) => is_missing).map(({ name }) => name);
  return [
    ...(last_error_code === null ? [] : [explainScheduleFailure(last_error_code).message]),
    ...(missing.length === 0 ? [] : [`On no site: ${missing.join(', ')}.`]),
    ...(sites_left_out === 0
      ? []
      : [`Sites with a Steward plugin that is too old: ${sites_left_out}.`]),
  ].join(' ');
}

function formatSelection({ selection }: Schedule): string {
  const filters = Object.entries(selection).map(([name, value]) => `${name}=${value}`);
  return filters.join(' ') || 'all';
}
