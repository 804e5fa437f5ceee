import { Command } from 'commander';
import { type NoLimit, parseList, parseSiteLimit, toSiteLimit } from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type CreateOptions = {
  name: string;
  siteLimit: number | NoLimit;
  services?: string[];
  json?: true;
};

export function createPlanCommand(context: CommandContext): Command {
  const plan = new Command('plan').description('create and list plans');

  plan
    .command('create')
    .description('create a plan, which sets the default site limit and services of its licenses')
    .requiredOption('--name <name>', 'plan name')
    .requiredOption(
      '--site-limit <n|unlimited>',
      'maximum number of connected sites per license',
      parseSiteLimit,
    )
    .option('--services <slugs>', 'comma-separated slugs (default: remote)', parseList)
    .option('--json', 'print one JSON document')
    .action(async ({ name, siteLimit, services, json }: CreateOptions) => {
      const values = { planName: name, siteLimit: toSiteLimit(siteLimit), services };
      const created = await context.withPanel((panel) =>
        panel.services.plans.create(values, COMMAND_LINE),
      );
      if (json) context.printJson(created);
      else context.printLine(`Created plan ${created.name} (${created.slug}).`);
    });

  plan
    .command('list')
    .description('list all plans')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: true }) => {
      const plans = await context.withPanel((panel) => panel.services.plans.list());
      if (json) return context.printJson(plans);
      if (plans.length === 0)
        return context.printLine('No plans yet. Create one with: steward plan create');
      context.printTable(
        ['SLUG', 'NAME', 'SITES', 'SERVICES'],
        plans.map((each) => [
          each.slug,
          each.name,
          String(each.site_limit ?? 'unlimited'),
          each.services.join(', '),
        ]),
      );
    });

  return plan;
}
