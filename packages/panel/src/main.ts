#!/usr/bin/env -S node --max-semi-space-size=8
import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { accessCommand } from './commands/access.ts';
import { auditCommand } from './commands/audit.ts';
import { failInOneLine, runCommand } from './commands/failures.ts';
import { licenseCommand } from './commands/license.ts';
import { migrateCommand } from './commands/migrate.ts';
import { planCommand } from './commands/plan.ts';
import { serveCommand } from './commands/serve.ts';
import { serviceCommand } from './commands/service.ts';
import { userCommand } from './commands/user.ts';

const program = new Command('steward')
  .description('Manage a fleet of CMS sites and license the plugin on them.')
  .version(packageJson.version);

for (const command of [
  serveCommand(),
  licenseCommand(),
  planCommand(),
  serviceCommand(),
  userCommand(),
  accessCommand(),
  auditCommand(),
  migrateCommand(),
]) {
  program.addCommand(command);
}

failInOneLine(program);
await runCommand(program);
