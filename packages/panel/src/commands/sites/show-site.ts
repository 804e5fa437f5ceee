import { parseRuntime, type SiteDetails } from '@steward/contract';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addPanelOptions, type PanelOptions } from '../panel-options.ts';
import { SKIP_TEXTS } from '../runs/print-preview.ts';
import { findSite } from './find-site.ts';

export function addSiteShowCommand(site: Command, context: CommandContext): void {
  addPanelOptions(
    site
      .command('show')
      .description('show a site, its plugins and themes, and their pending updates')
      .argument('<site>', 'address or id of the site'),
  ).action(async (address: string, { json, ...options }: PanelOptions) => {
    const found = await context.withApi(options, async (api) => {
      const { id } = await findSite(api, address, { includesArchived: true });
      return (await api.showSite(id)).site;
    });
    if (json) context.printJson(found);
    else printSite(context, found);
  });
}

function printSite(context: CommandContext, site: SiteDetails): void {
  const { printLine } = context;
  printLine(`Site ${site.id}: ${site.url}`);
  if (site.display_name !== null) printLine(`Display name: ${site.display_name}`);
  printLine(`State: ${site.status}${site.fault ? `: ${site.fault.error}` : ''}`);
  if (site.archived_at !== null) printLine(`Archived: ${site.archived_at}`);
  if (site.remote.obstacle !== null)
    printLine(`Steward cannot manage it: ${SKIP_TEXTS[site.remote.obstacle]}`);
  const { license, tags, client, note } = site;
  printLine(`License: ${license.id}, ${license.name ?? license.plan.name}, ${license.status}`);
  if (client !== null) printLine(`Client: ${client.name}`);
  if (tags.length > 0) printLine(`Tags: ${tags.join(', ')}`);
  if (note !== null) printLine(`Note: ${note.replace(/\s+/g, ' ')}`);
  const runtime = parseRuntime(site.php_version);
  if (site.checked_pages.length > 0) printLine(`Checked pages: ${site.checked_pages.join(' ')}`);
  printLine(
    `CMS ${site.cms_version}, ${runtime.name} ${runtime.version}, Steward plugin ${site.plugin_version}`,
  );
  printLine(`Last check-in: ${site.last_check_at ?? 'never'}`);
  printLine(`Last sync: ${site.inventory_at ?? 'never'}`);
  printBackups(context, site);
  printInventory(context, site);
}

function printBackups({ printLine }: CommandContext, { backups, backed_up_at }: SiteDetails): void {
  printLine(`Last full backup: ${backed_up_at ?? 'not known'}`);
  for (const { name, contains, backed_up_at: time } of backups ?? []) {
    printLine(`  ${name}, ${contains}: ${time ?? 'not known'}`);
  }
}

function printInventory({ printLine, printTable }: CommandContext, site: SiteDetails): void {
  const { inventory, held_items } = site;
  if (inventory === null) return;
  const holds = new Map(held_items.map((item) => [`${item.type} ${item.slug}`, item.hold]));
  const { plugins, themes, core } = inventory;
  const items = [
    { type: 'core', slug: 'core', name: 'Core', active: true, ...core },
    ...plugins.map(({ plugin, ...item }) => ({ type: 'plugin', slug: plugin, ...item })),
    ...themes.map((item) => ({ type: 'theme', ...item })),
  ];
  printLine();
  printTable(
    ['NAME', 'TYPE', 'SLUG', 'VERSION', 'UPDATE', 'ACTIVE', 'HELD'],
    items.map(({ name, type, slug, version, new_version, active }) => [
      ...[name, type, slug, version, new_version ?? '', active ? 'yes' : 'no'],
      holds.get(`${type} ${slug}`)?.explanation ?? '',
    ]),
  );
}
