import { Command } from 'commander';
import type { CommandContext } from './command-context.ts';

export function createMigrateCommand(context: CommandContext): Command {
  return new Command('migrate')
    .description('apply pending database migrations')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: true }) => {
      const migrated = await context.withPanel(async (panel) => panel.migrated);
      if (json) return context.printJson({ migrated });
      if (migrated.length === 0) return context.printLine('The database is up to date.');
      for (const name of migrated) context.printLine(`Applied migration ${name}.`);
    });
}
