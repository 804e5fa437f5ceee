#!/usr/bin/env node
import { Command } from 'commander';
import { licenseCommand } from './commands/license.ts';
import { migrateCommand } from './commands/migrate.ts';
import { planCommand } from './commands/plan.ts';
import { serveCommand } from './commands/serve.ts';
import { serviceCommand } from './commands/service.ts';
import { withoutSecrets } from './lib/logger.ts';

const program = new Command('steward')
  .description('Manage a fleet of CMS sites and license the plugin on them.')
  .showSuggestionAfterError(false);

for (const command of [
  serveCommand(),
  licenseCommand(),
  planCommand(),
  serviceCommand(),
  migrateCommand(),
]) {
  program.addCommand(command);
}

try {
  await program.parseAsync();
} catch (error) {
  // One line, and never a key in it.
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`steward: ${withoutSecrets(message).replace(/\s+/g, ' ').trim()}\n`);
  process.exitCode = 1;
}
