import type { PluginAction, SoftwareDetails, SoftwareItem, SoftwareType } from '@steward/contract';
import { Command, InvalidArgumentError } from 'commander';
import { parseCount, parseSlugAndVersion } from './arguments.ts';
import type { CommandContext } from './command-context.ts';
import { listPages } from './list-pages.ts';
import { addPanelOptions, type PanelOptions } from './panel-options.ts';
import { findSlug, planInstall, planPluginAction, planRestore } from './runs/plan-software.ts';
import { planUpdate } from './runs/plan-update.ts';
import { listVersions } from './runs/print-preview.ts';
import { addStartOptions, type StartOptions, startRun } from './runs/start-run.ts';
import { addSiteOptions, collect, type SiteChoice, selectSites } from './sites/select-sites.ts';

type Type = Exclude<SoftwareType, 'core'>;
type ListOptions = PanelOptions & { search?: string; outdated?: true; limit: number; all?: true };
type SiteOptions = StartOptions & Omit<SiteChoice, 'sites'> & { site?: string[] };

const toChoice = ({ site = [], tag, client, all }: SiteOptions): SiteChoice => ({
  sites: site,
  ...(tag !== undefined && { tag }),
  ...(client !== undefined && { client }),
  ...(all && { all }),
});

export const createPluginCommand = (context: CommandContext): Command => {
  const command = createSoftwareCommand(context, 'plugin');
  addActionCommand(context, command, 'activate', 'activate a plugin on sites that have it');
  addActionCommand(context, command, 'deactivate', 'deactivate a plugin on sites');
  addActionCommand(context, command, 'delete', 'delete a plugin and its files on sites');
  return command;
};

export const createThemeCommand = (context: CommandContext): Command =>
  createSoftwareCommand(context, 'theme');

function createSoftwareCommand(context: CommandContext, type: Type): Command {
  const command = new Command(type).description(`list and change the ${type}s of all sites`);

  addPanelOptions(
    command
      .command('list')
      .description(`list the ${type}s of all sites`)
      .option('--search <text>', 'only names and slugs with this text')
      .option('--outdated', 'only those with a pending update')
      .option('--limit <n>', `maximum number of ${type}s to list`, parseCount, 50)
      .option('--all', 'list without a limit'),
  ).action(async ({ json, search, outdated, limit, all, ...options }: ListOptions) => {
    const { items, hasMore } = await context.withApi(options, (api) =>
      listPages(all ? Number.POSITIVE_INFINITY : limit, async (page) => {
        const found = await api.listSoftware({
          ...{ type, ...page },
          ...(search !== undefined && { search }),
          ...(outdated && { filter: 'outdated' as const }),
        });
        return { items: found.software, next_cursor: found.next_cursor };
      }),
    );
    if (json) return context.printJson(items);
    if (items.length === 0) return context.printLine(`No ${type}s found.`);
    printSoftware(context, type, items);
    if (hasMore) context.printLine(`Showing the first ${items.length}. Use --all to list all.`);
  });

  addPanelOptions(
    command
      .command('show')
      .description(`show the versions of a ${type}`)
      .argument('<slug>', `slug of the ${type}`),
  ).action(async (slug: string, { json, ...options }: PanelOptions) => {
    const details = await context.withApi(options, async (api) =>
      api.showSoftware({ type, slug: await findSlug(api, { type, slug }) }),
    );
    if (json) context.printJson(details);
    else printDetails(context, details);
  });

  addPanelOptions(
    command
      .command('versions')
      .description(`list the known versions of a ${type}, such as for a rule`)
      .argument('<slug>', `slug of the ${type}`),
  ).action(async (slug: string, { json, ...options }: PanelOptions) => {
    const versions = await context.withApi(options, async (api) =>
      api.listKnownVersions({ type, slug: await findSlug(api, { type, slug }) }),
    );
    if (json) return context.printJson(versions);
    context.printTable(
      ['VERSION', 'INSTALLED', 'OFFERED', 'SAVED', 'PACKAGE'],
      versions.map((each) => [
        ...[each.version, String(each.installed_sites), String(each.offered_sites)],
        ...[String(each.saved_sites), each.has_package ? 'yes' : ''],
      ]),
    );
  });

  addChangeCommand(command, 'update', `update a ${type} on sites with a pending update`)
    .argument('<slug>', `slug of the ${type}`)
    .option('--include-failing', 'also sites on which the update would fail')
    .action((text: string, options: SiteOptions & { includeFailing?: true }) =>
      startRun(context, options, async (api) => {
        const slug = await findSlug(api, { type, slug: text });
        const outdated = {
          software: slug,
          software_type: type,
          software_outdated: 'true',
        } as const;
        const siteIds = await selectSites(api, toChoice(options), outdated);
        return planUpdate(api, siteIds, {
          includesItem: (item) => item.type === type && item.slug === slug,
          includesFailing: options.includeFailing === true,
        });
      }),
    );

  addChangeCommand(command, 'install', `install a ${type} from wordpress.org on sites`)
    .argument('<slug@version>', 'such as akismet@5.3.1', parseDirectoryItem)
    .action((item: { slug: string; version: string }, options: SiteOptions) =>
      startRun(context, options, async (api) =>
        planInstall(api, await selectSites(api, toChoice(options)), { type, ...item }),
      ),
    );

  addChangeCommand(command, 'restore', `restore the saved version of a ${type} on sites`)
    .argument('<slug>', `slug of the ${type}`)
    .option('--to <version>', 'the saved version; needed if sites have several')
    .action((text: string, options: SiteOptions & { to?: string }) =>
      startRun(context, options, async (api) => {
        const slug = await findSlug(api, { type, slug: text });
        const installed = { software: slug, software_type: type };
        const siteIds = await selectSites(api, toChoice(options), installed);
        return planRestore(api, siteIds, { type, slug, version: options.to });
      }),
    );

  return command;
}

function addActionCommand(
  context: CommandContext,
  command: Command,
  action: Exclude<PluginAction, 'update'>,
  description: string,
): void {
  addChangeCommand(command, action, description)
    .argument('<slug>', 'slug of the plugin')
    .action((text: string, options: SiteOptions) =>
      startRun(context, options, async (api) => {
        const slug = await findSlug(api, { type: 'plugin', slug: text });
        const installed = { software: slug, software_type: 'plugin' } as const;
        const siteIds = await selectSites(api, toChoice(options), installed);
        const known = await api.selectSites(installed);
        // The panel lists only some of very many sites. The run then fails on the sites without the plugin.
        const withPlugin = known.is_complete ? known.site_ids : siteIds;
        return planPluginAction(api, action, slug, { siteIds, withPlugin });
      }),
    );
}

const addChangeCommand = (command: Command, name: string, description: string): Command =>
  addStartOptions(
    addSiteOptions(
      command
        .command(name)
        .description(description)
        .option('--site <url>', 'address or id of a site; repeat for more', collect),
    ),
  );

function parseDirectoryItem(text: string): { slug: string; version: string } {
  const item = parseSlugAndVersion(text);
  // The panel checks the same pattern, but its error does not name the argument.
  if (/^[a-z0-9][a-z0-9-]*$/.test(item.slug)) return item;
  throw new InvalidArgumentError('It must be slug@version, such as akismet@5.3.1.');
}

function printSoftware(context: CommandContext, type: Type, items: SoftwareItem[]): void {
  context.printTable(
    [type.toUpperCase(), 'SLUG', 'SITES', 'ACTIVE', 'OUTDATED', 'NEWEST', 'INSTALLED', 'HELD'],
    items.map((item) => [
      ...[item.name, item.slug],
      ...[item.sites, item.active_sites, item.outdated_sites].map(String),
      item.newest_version,
      listVersions(item.versions.map(({ version }) => version)),
      listVersions((item.holds ?? []).map(({ version }) => version)),
    ]),
  );
}

function printDetails({ printLine, printTable }: CommandContext, item: SoftwareDetails): void {
  printLine(`${item.name} (${item.slug})`);
  printLine(
    `Sites: ${item.sites}, active on ${item.active_sites}, outdated on ${item.outdated_sites}`,
  );
  printLine(`Newest version: ${item.newest_version}`);
  for (const { version, hold } of item.holds ?? []) printLine(`${version}: ${hold.explanation}`);
  printLine();
  printTable(
    ['VERSION', 'SITES', 'ACTIVE', 'OUTDATED', 'UPDATES TO'],
    item.versions.map((each) => [
      each.version,
      ...[each.sites, each.active_sites, each.outdated_sites].map(String),
      listVersions(each.offers.map(({ new_version }) => new_version)),
    ]),
  );
}
