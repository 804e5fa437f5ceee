import type { Preflight } from '@steward/contract';
import { Command } from 'commander';
import type { CommandContext } from './command-context.ts';

/** The operator sees every site, as an owner does. */
const OPERATOR = { id: 0, role: 'owner' } as const;

export function createSiteCommand(context: CommandContext): Command {
  const site = new Command('site').description('show the state of sites');
  site
    .command('preflight')
    .description('predict why updates of sites would fail, without calling them')
    .argument('<url...>', 'addresses of the sites')
    .option('--json', 'print one JSON document')
    .action(async (urls: string[], { json }: { json?: true }) => {
      const preflight = await context.withPanel(async ({ services }) =>
        services.preflight.read(OPERATOR, await services.preflight.findSites(urls)),
      );
      if (json) context.printJson(preflight);
      else printPreflight(context, preflight);
    });
  return site;
}

function printPreflight(context: CommandContext, preflight: Preflight): void {
  const { groups, unchecked, checked } = preflight;
  const rows = groups.flatMap(({ is_certain, site_ids, sites }) =>
    sites.map(({ id, name, error }) => {
      const verb = is_certain ? 'would' : 'may';
      return [name, site_ids.includes(id) ? `${verb} fail` : `${verb} partly fail`, error];
    }),
  );
  const uncheckedRows = unchecked.sites.map(({ name, reason, reported_at }) => [
    name,
    'not certain',
    reason === 'report_old'
      ? `The last report is older than 24 hours (${reported_at}). Sync the site.`
      : 'The site has sent no preflight report. Update its Steward plugin, then sync it.',
  ]);
  if (rows.length + uncheckedRows.length === 0) {
    const sites = checked === 1 ? '1 site' : `${checked} sites`;
    context.printLine(`Nothing would prevent updates of ${sites}.`);
    return;
  }
  context.printTable(['SITE', 'UPDATES', 'REASON'], [...rows, ...uncheckedRows]);
}
