import { Command } from 'commander';
import { withPanel } from './command-context.ts';
import { printJson, printLine } from './output.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database up to date')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: true }) => {
      const migrated = await withPanel(async (panel) => panel.migrated);
      if (json) return printJson({ migrated });
      if (migrated.length === 0) return printLine('The database is up to date.');
      for (const name of migrated) printLine(`Ran ${name}.`);
    });
}
