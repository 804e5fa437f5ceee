import { Command } from 'commander';
import { limitOf, type NoLimit, parseList, parseSiteLimit } from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type CreateOptions = {
  name: string;
  siteLimit: number | NoLimit;
  services?: string[];
  json?: true;
};

export function planCommand(context: CommandContext): Command {
  const plan = new Command('plan').description('create and list plans');

  plan
    .command('create')
    .description('create a plan: what its licenses get unless they say otherwise')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption(
      '--site-limit <n|unlimited>',
      'how many sites a license may use',
      parseSiteLimit,
    )
    .option('--services <slugs>', 'comma-separated (default: remote)', parseList)
    .option('--json', 'print one JSON document')
    .action(async ({ name, siteLimit, services, json }: CreateOptions) => {
      const order = { planName: name, siteLimit: limitOf(siteLimit), services };
      const created = await context.withPanel((panel) =>
        panel.services.plans.create(order, COMMAND_LINE),
      );
      if (json) context.printJson(created);
      else context.printLine(`Plan ${created.name} (${created.slug}) is made.`);
    });

  plan
    .command('list')
    .description('list all plans')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: true }) => {
      const plans = await context.withPanel((panel) => panel.services.plans.list());
      if (json) return context.printJson(plans);
      if (plans.length === 0)
        return context.printLine('There are no plans yet. Create one with: steward plan create');
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
