import { Command } from 'commander';
import { withPanel } from './command-context.ts';
import { printJson, printTable } from './output.ts';

export function serviceCommand(): Command {
  const service = new Command('service').description('see the catalogue of services');
  service
    .command('list')
    .description('list all services')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: true }) => {
      const services = await withPanel((panel) => panel.services.services.list());
      if (json) return printJson(services);
      printTable(
        ['SLUG', 'NAME', 'VERSION', 'CATEGORY'],
        services.map((each) => [each.slug, each.name, each.version, each.category]),
      );
    });
  return service;
}
