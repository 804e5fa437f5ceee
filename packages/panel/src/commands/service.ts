import { Command } from 'commander';
import type { CommandContext } from './command-context.ts';

export function createServiceCommand(context: CommandContext): Command {
  const service = new Command('service').description('list available services');
  service
    .command('list')
    .description('list all services')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: true }) => {
      const services = await context.withPanel((panel) => panel.services.services.list());
      if (json) return context.printJson(services);
      context.printTable(
        ['SLUG', 'NAME', 'VERSION', 'CATEGORY'],
        services.map((each) => [each.slug, each.name, each.version, each.category]),
      );
    });
  return service;
}
