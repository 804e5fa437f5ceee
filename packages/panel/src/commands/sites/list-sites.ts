import {
  CERTIFICATE_FILTERS,
  type CertificateFilter,
  describeRuntimeVersion,
  type PendingCounts,
  SITE_SORTS,
  SITE_STATUSES,
  type SiteItem,
  type SiteSort,
  type SiteStatus,
  type SitesQuery,
  SUPPORT_FILTERS,
  type SupportFilter,
} from '@steward/contract';
import { type Command, Option } from 'commander';
import { parseCount } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { listPages } from '../list-pages.ts';
import { addPanelOptions, type PanelOptions } from '../panel-options.ts';
import { findSlug } from '../runs/plan-software.ts';
import { toClientFilter } from './select-sites.ts';

type ListOptions = PanelOptions & {
  search?: string;
  tag?: string;
  client?: string;
  state?: SiteStatus;
  plugin?: string;
  outdated?: true;
  support?: SupportFilter;
  certificate?: CertificateFilter;
  sort: SiteSort;
  desc?: true;
  limit: number;
  all?: true;
};

export function addSiteListCommand(site: Command, context: CommandContext): void {
  addPanelOptions(
    site
      .command('list')
      .description('list sites')
      .option('--search <text>', 'only addresses and display names with this text')
      .option('--tag <name>', 'only sites with this tag')
      .option('--client <client>', 'only sites of this client, by its name or id, or none')
      .addOption(new Option('--state <state>', 'only sites in this state').choices(SITE_STATUSES))
      .option('--plugin <slug>', 'only sites with this plugin')
      .option('--outdated', 'only sites with pending updates; with --plugin: of this plugin')
      .addOption(
        new Option(
          '--support <state>',
          'only sites with a PHP or WordPress version without support, or with support that ends within half a year',
        ).choices(SUPPORT_FILTERS),
      )
      .addOption(
        new Option(
          '--certificate <state>',
          'only sites whose certificate has expired, or (expiring) expires within 14 days',
        ).choices(CERTIFICATE_FILTERS),
      )
      .addOption(new Option('--sort <key>', 'order').choices(SITE_SORTS).default('name'))
      .option('--desc', 'in reverse order')
      .option('--limit <n>', 'maximum number of sites to list', parseCount, 50)
      .option('--all', 'list without a limit'),
  ).action(async ({ json, limit, all, ...options }: ListOptions) => {
    const { items, hasMore } = await context.withApi(options, async (api) => {
      const plugin =
        options.plugin && (await findSlug(api, { type: 'plugin', slug: options.plugin }));
      const client = options.client === undefined ? {} : await toClientFilter(api, options.client);
      const filters = { ...toQuery(options, plugin), ...client };
      return listPages(all ? Number.POSITIVE_INFINITY : limit, async (page) => {
        const { sites, next_cursor } = await api.listSites({ ...filters, ...page });
        return { items: sites, next_cursor };
      });
    });
    if (json) return context.printJson(items);
    if (items.length === 0) return context.printLine('No sites found.');
    printSites(context, items);
    if (hasMore) context.printLine(`Showing the first ${items.length}. Use --all to list all.`);
  });
}

function toQuery(
  { search, tag, state, outdated, support, certificate, sort, desc }: Omit<ListOptions, 'limit'>,
  plugin: string | undefined,
): SitesQuery {
  return {
    ...(search !== undefined && { search }),
    ...(tag !== undefined && { tag }),
    ...(state && { status: state }),
    ...(support && { support }),
    ...(certificate && { certificate }),
    sort,
    ...(desc && { order: 'desc' }),
    ...(plugin && { software: plugin, software_type: 'plugin' }),
    ...(outdated && (plugin ? { software_outdated: 'true' } : { pending: 'any' })),
  };
}

function printSites(context: CommandContext, sites: SiteItem[]): void {
  context.printTable(
    [
      'ID',
      'SITE',
      'STATE',
      'UPDATES',
      'CMS',
      'PHP',
      'LAST CHECK-IN',
      'LAST BACKUP',
      'CLIENT',
      'TAGS',
    ],
    sites.map((site) => [
      ...[String(site.id), site.name, site.status, String(countPending(site.pending))],
      ...[
        site.cms_version,
        describeRuntimeVersion(site.php_version),
        site.last_check_at ?? 'never',
        site.backed_up_at ?? 'not known',
        site.client?.name ?? '',
        site.tags.join(','),
      ],
    ]),
  );
}

export const countPending = ({ plugins, themes, core }: PendingCounts): number =>
  plugins + themes + core;
