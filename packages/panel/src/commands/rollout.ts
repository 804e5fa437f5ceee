import {
  DEFAULT_ROLLOUT_SETTINGS,
  type OfferedItem,
  type RolloutItem,
  type RolloutSite,
  type RolloutSummary,
  roleMay,
} from '@steward/contract';
import { Command } from 'commander';
import { OPERATOR } from '../features/site-access/index.ts';
import { AppError } from '../platform/app-error.ts';
import type { Services } from '../services.ts';
import {
  parsePercent,
  parseRolloutId,
  parseSlugAndVersion,
  parseSoakMinutes,
} from './arguments.ts';
import { findClient } from './clients/find-client.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';
import { addProofCommands, describeProof } from './rollout-proof.ts';

type JsonOption = { json?: true };
type ItemKey = Pick<RolloutItem, 'slug' | 'version'>;
type StartOptions = JsonOption & {
  user: string;
  plugin?: ItemKey[];
  theme?: ItemKey[];
  all?: true;
  tag?: string;
  client?: string;
  soak: number;
  proof: number;
  name?: string;
};

export function createRolloutCommand(context: CommandContext): Command {
  const rollout = new Command('rollout').description('start, list and change rollouts');

  rollout
    .command('list')
    .description('list the newest 50 rollouts')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: JsonOption) => {
      const rollouts = await context.withPanel(({ services }) =>
        services.rollouts.list(OPERATOR, Number.MAX_SAFE_INTEGER),
      );
      if (json) return context.printJson(rollouts);
      if (rollouts.length === 0)
        return context.printLine('No rollouts yet. Start one with: steward rollout start');
      context.printTable(
        ['ID', 'NAME', 'STATUS', 'RING', 'UPDATED', 'NOT CHECKED', 'TROUBLED', 'STARTED'],
        rollouts.map((each) => [
          String(each.rollout_id),
          each.name,
          each.status,
          each.rings.find(({ position }) => position === each.ring)?.name ?? '',
          `${sumOf(each, 'updated')} of ${each.rings.reduce((sum, { sites }) => sum + sites, 0)}`,
          String(sumOf(each, 'unchecked')),
          String(sumOf(each, 'troubled')),
          each.created_at,
        ]),
      );
    });

  rollout
    .command('show')
    .description('show a rollout with its rings and its troubled sites')
    .argument('<id>', 'rollout id', parseRolloutId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { json }: JsonOption) => {
      const found = await context.withPanel(({ services }) => services.rollouts.show(OPERATOR, id));
      if (json) return context.printJson(found);
      printRollout(context, found);
    });

  rollout
    .command('start')
    .description('update sites ring by ring: tag canary, then 10 %, then all other sites')
    .requiredOption('--user <email>', 'the user whose access to sites the rollout uses')
    .option('--plugin <slug@version>', 'a plugin to update; repeat for more', collectItems)
    .option('--theme <slug@version>', 'a theme to update; repeat for more', collectItems)
    .option('--all', 'all sites that offer one of these updates')
    .option('--tag <name>', 'sites with this tag that offer one of these updates')
    .option(
      '--client <client>',
      'sites of this client, by its name or id, that offer one of these updates',
    )
    .option(
      '--soak <minutes>',
      'time without trouble before the next ring starts',
      parseSoakMinutes,
      DEFAULT_ROLLOUT_SETTINGS.soak_minutes,
    )
    .option(
      '--proof <percent>',
      'share of the sites of each ring on which the update must succeed; 0: one site',
      parsePercent,
      DEFAULT_ROLLOUT_SETTINGS.proof_percent,
    )
    .option('--name <text>', 'a name for the screens (default: the items)')
    .option('--json', 'print one JSON document')
    .action(async ({ json, ...options }: StartOptions) => {
      const started = await context.withPanel(({ services }) => start(services, options));
      if (json) return context.printJson(started);
      printRollout(context, started);
    });

  addChangeCommand('resume', 'continue a halted rollout; a quarantine must be lifted first');
  addChangeCommand('cancel', 'end a rollout; sites that were updated keep the new version');

  addProofCommands(rollout, context, (shown) => printRollout(context, shown));

  function addChangeCommand(action: 'resume' | 'cancel', description: string) {
    rollout
      .command(action)
      .description(description)
      .argument('<id>', 'rollout id', parseRolloutId)
      .option('--json', 'print one JSON document')
      .action(async (id: number, { json }: JsonOption) => {
        const changed = await context.withPanel(async ({ services }) => {
          await services.rollouts[action](OPERATOR, id, COMMAND_LINE);
          return services.rollouts.show(OPERATOR, id);
        });
        if (json) return context.printJson(changed);
        printRollout(context, changed);
      });
  }
  return rollout;
}

const collectItems = (text: string, before: ItemKey[] = []): ItemKey[] => [
  ...before,
  parseSlugAndVersion(text),
];

async function start(services: Services, options: Omit<StartOptions, 'json'>) {
  const { plugin = [], theme = [], all, tag, client, soak, proof, name } = options;
  const wanted = [
    ...plugin.map((item) => ({ type: 'plugin' as const, ...item })),
    ...theme.map((item) => ({ type: 'theme' as const, ...item })),
  ];
  if (wanted.length === 0) throw new Error('Use at least one --plugin or --theme.');
  const choices = [all, tag, client].filter((choice) => choice !== undefined);
  if (choices.length !== 1) throw new Error('Use one of --all, --tag and --client.');
  const { id, role } = await services.users.findByEmail(options.user);
  if (!roleMay(role, 'sites.act')) throw new AppError('forbidden');
  const user = { id, role };
  const { site_ids, is_complete } = await services.siteList.select(user, {
    pending: 'updatable',
    ...(tag !== undefined && { tag }),
    ...(client !== undefined && {
      client_id: String(findClient(await services.clients.list(user), client).id),
    }),
  });
  if (!is_complete) throw new Error('Too many sites match. Start one rollout per tag or client.');
  const { to_update } = await services.updatePlan.preview(user, site_ids);
  const offered = wanted.map((item) => findOffered(item, to_update.items));
  const request = {
    site_ids: [...new Set(offered.flatMap((item) => item.site_ids))],
    items: offered.map(({ type, slug, version, name: itemName }) => ({
      ...{ type, slug, version },
      name: itemName.slice(0, 200),
    })),
    settings: { soak_minutes: soak, proof_percent: proof },
    ...(name !== undefined && { name }),
  };
  const rolloutId = await services.rollouts.create(user, request, COMMAND_LINE);
  return services.rollouts.show(OPERATOR, rolloutId);
}

const SKIPPED_SITES =
  'A rollout skips sites without a valid license, sites with remote management off, and sites whose Steward plugin is too old to install only selected updates.';

function findOffered(wanted: ItemKey & { type: string }, items: OfferedItem[]): OfferedItem {
  const versions = items.filter(({ type, slug }) => type === wanted.type && slug === wanted.slug);
  const found = versions.filter(({ version }) => version === wanted.version);
  const allowed = found.find(({ hold }) => !hold);
  if (allowed) return allowed;
  if (found.length > 0) throw new AppError('held_version');
  const others = versions.map(({ version }) => version).join(', ');
  const hint = others ? ` They offer: ${others}.` : '';
  throw new Error(
    `None of the sites that this rollout can update offers ${wanted.slug} ${wanted.version}.${hint} ${SKIPPED_SITES}`,
  );
}

const UNKNOWN_TROUBLE = 'The update failed or could not be verified.';

type Shown = { rollout: RolloutSummary; sites: RolloutSite[] };

function printRollout(context: CommandContext, { rollout, sites }: Shown): void {
  const { rollout_id, name, status, halt_reason, held_versions, rings } = rollout;
  context.printLine(`Rollout ${rollout_id}: ${name}`);
  context.printLine(`Status: ${status}`);
  if (halt_reason !== null) context.printLine(`Halted: ${halt_reason}`);
  for (const line of describeProof({ rollout, sites })) context.printLine(line);
  for (const held of held_versions) {
    context.printLine(`Quarantined: ${held.name ?? held.slug} ${held.version}`);
  }
  context.printTable(
    [
      ...['RING', 'SITES', 'UPDATED', 'NOT CHECKED', 'TROUBLED', 'NOT FULLY UPDATED'],
      ...['UPDATING', 'WAITING', 'NOT STARTED', 'SOAK ENDS'],
    ],
    rings.map((ring) => [
      ring.name,
      String(ring.sites),
      String(ring.counts.updated),
      String(ring.counts.unchecked),
      String(ring.counts.troubled),
      String(ring.counts.failed),
      String(ring.counts.updating),
      String(ring.counts.waiting),
      String(ring.counts.cancelled),
      (ring.finished_at === null && ring.soak_ends_at) || '',
    ]),
  );
  for (const site of sites.filter(({ state }) => state === 'troubled')) {
    const rollback = site.is_rolled_back ? ' The previous version is back.' : '';
    context.printLine(`Troubled: ${site.name}: ${site.error ?? UNKNOWN_TROUBLE}${rollback}`);
  }
}

const sumOf = ({ rings }: RolloutSummary, state: 'updated' | 'unchecked' | 'troubled') =>
  rings.reduce((sum, { counts }) => sum + counts[state], 0);
