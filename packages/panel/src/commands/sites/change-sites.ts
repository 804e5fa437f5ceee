import type { OfferedItem, UpdateItemType } from '@steward/contract';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addPanelOptions } from '../panel-options.ts';
import { planUpdate } from '../runs/plan-update.ts';
import { addStartOptions, reportStarted, type StartOptions, startRun } from '../runs/start-run.ts';
import { warnIfNoWorker } from '../runs/watch-run.ts';
import { addSiteOptions, type SiteChoice, selectSites } from './select-sites.ts';

type ChoiceOptions = Omit<SiteChoice, 'sites'>;
type UpdateOptions = StartOptions &
  ChoiceOptions & {
    pluginsAndThemes?: true;
    core?: true;
    item?: ItemChoice[];
    includeFailing?: true;
  };
type ItemChoice = { text: string; type: UpdateItemType; slug: string; version?: string };

export function addSiteSyncCommand(site: Command, context: CommandContext): void {
  addPanelOptions(
    addSiteOptions(
      site
        .command('sync')
        .description('let sites check for updates and report; this changes nothing on them')
        .argument('[site...]', 'addresses or ids of sites'),
    ).option('--wait', 'wait until the run has finished; exit codes as for run watch'),
  ).action(async (sites: string[], options: StartOptions & ChoiceOptions) => {
    const run = await context.withApi(options, async (api, connection) => {
      const siteIds = await selectSites(api, { sites, ...options });
      if (siteIds.length === 0) throw new Error('No sites match. Nothing was started.');
      const started = await api.sync(siteIds);
      if (!options.wait) await warnIfNoWorker(context, connection);
      return started;
    });
    await reportStarted(context, options, run);
  });
}

export function addSiteUpdateCommand(site: Command, context: CommandContext): void {
  addStartOptions(
    addSiteOptions(
      site
        .command('update')
        .description('install pending updates on sites: all of them, or a choice')
        .argument('[site...]', 'addresses or ids of sites'),
    )
      .option('--plugins-and-themes', 'only plugins and themes')
      .option('--core', 'only the core')
      .option('--item <type:slug@version>', 'only this update; repeat for more', collectItems)
      .option('--include-failing', 'also sites on which every update would fail'),
  ).action((sites: string[], options: UpdateOptions) =>
    startRun(context, options, async (api) => {
      const includesItem = createItemFilter(options);
      const siteIds = await selectSites(api, { sites, ...options }, { pending: 'any' });
      return planUpdate(api, siteIds, {
        ...(includesItem && { includesItem }),
        namedItems: (options.item ?? []).map((choice) => ({
          name: choice.text,
          matches: (offered) => isChosen(offered, choice),
        })),
        includesFailing: options.includeFailing === true,
      });
    }),
  );
}

/** Returns undefined for all pending updates. */
function createItemFilter({ pluginsAndThemes, core, item }: UpdateOptions) {
  const choices = [pluginsAndThemes, core, item].filter((choice) => choice !== undefined);
  if (choices.length > 1) {
    throw new Error('Use only one of --plugins-and-themes, --core and --item.');
  }
  if (item) return (offered: OfferedItem) => item.some((choice) => isChosen(offered, choice));
  if (core) return ({ type }: OfferedItem) => type === 'core';
  return pluginsAndThemes ? ({ type }: OfferedItem) => type !== 'core' : undefined;
}

/** A plugin may be named by its folder. */
function isChosen(offered: OfferedItem, { type, slug, version }: ItemChoice): boolean {
  const isItem =
    offered.type === type && (offered.slug === slug || offered.slug.startsWith(`${slug}/`));
  return isItem && (version === undefined || offered.version === version);
}

const collectItems = (text: string, before: ItemChoice[] = []): ItemChoice[] => [
  ...before,
  parseItem(text),
];

/** `plugin:shop/shop.php@2.0`, `theme:plain`, `core` or `core@6.7`. A slug may contain `@`, a version may not. */
function parseItem(text: string): ItemChoice {
  const [, type, , slug = 'core', version] =
    /^(plugin|theme|core)(:(.+?))?(?:@([^@]+))?$/.exec(text) ?? [];
  const isComplete = type === 'core' || (type !== undefined && text.startsWith(`${type}:`));
  if (isComplete) return { text, type: type as UpdateItemType, slug, ...(version && { version }) };
  throw new InvalidArgumentError(
    'It must have the form plugin:shop/shop.php@2.0, theme:plain or core.',
  );
}
