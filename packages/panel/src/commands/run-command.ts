import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { redactSecrets } from '../platform/logger.ts';
import { createAccessCommand } from './access.ts';
import { createAuditCommand } from './audit.ts';
import { createBackupCommand } from './backup.ts';
import { createClientCommand } from './client.ts';
import { type CommandContext, type CommandIo, createCommandContext } from './command-context.ts';
import { createDoctorCommand } from './doctor.ts';
import { createLicenseCommand } from './license.ts';
import { createMigrateCommand } from './migrate.ts';
import { createNotificationCommand } from './notification.ts';
import { toTerminalText } from './output.ts';
import { assertWorksWithPanel } from './panel-options.ts';
import { createPlanCommand } from './plan.ts';
import { createQuarantineCommand } from './quarantine.ts';
import { createRestoreCommand } from './restore.ts';
import { createRolloutCommand } from './rollout.ts';
import { createRuleCommand } from './rule.ts';
import { createRunCommand } from './run.ts';
import { createScheduleCommand } from './schedule.ts';
import { createServeCommand } from './serve.ts';
import { createServiceCommand } from './service.ts';
import { createSigningKeyCommand } from './signing-key.ts';
import { createSiteCommand } from './site.ts';
import { createPluginCommand, createThemeCommand } from './software.ts';
import { createTokenCommand } from './token.ts';
import { createUserCommand } from './user.ts';

const COMMAND_FACTORIES = [
  createServeCommand,
  createLicenseCommand,
  createPlanCommand,
  createServiceCommand,
  createSiteCommand,
  createClientCommand,
  createPluginCommand,
  createThemeCommand,
  createRunCommand,
  createUserCommand,
  createAccessCommand,
  createTokenCommand,
  createRolloutCommand,
  createRuleCommand,
  createQuarantineCommand,
  createScheduleCommand,
  createAuditCommand,
  createNotificationCommand,
  createSigningKeyCommand,
  createDoctorCommand,
  createMigrateCommand,
  createBackupCommand,
  createRestoreCommand,
];

/**
 * Runs `steward` with these arguments and returns its exit code. After a failure, prints one line without secrets to
 * standard error and returns 1.
 */
export async function runCommand(args: string[], io: CommandIo): Promise<number> {
  const context = createCommandContext(io);
  const program = createProgram(context);
  throwParserErrors(program, io);
  try {
    await program.parseAsync(args, { from: 'user' });
    return context.getExitCode();
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const line = redactSecrets(toMessage(error)).replace(/\s+/g, ' ').trim();
    io.stderr.write(`${program.name()}: ${toTerminalText(line)}\n`);
    return 1;
  }
}

/** All commands. Also for tests that compare them with the documentation. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('steward')
    .description('Manage a fleet of CMS sites and license the plugin on them.')
    .version(packageJson.version)
    .hook('preAction', (_program, command) => assertWorksWithPanel(command, context.env));
  for (const createCommand of COMMAND_FACTORIES) program.addCommand(createCommand(context));
  return program;
}

/** Makes the parser throw its errors instead of printing them, in this command and all subcommands. */
function throwParserErrors(command: Command, io: CommandIo): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: () => {},
    outputError: () => {},
  });
  for (const child of command.commands) throwParserErrors(child, io);
}

function toMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof CommanderError)) return error.message;
  if (error.code === 'commander.help') return 'Missing command. Use --help to list the commands.';
  const message = error.message.replace(/^error: /, '');
  const hasNextStep = error.code !== 'commander.unknownCommand' || message.includes('Did you mean');
  return hasNextStep ? message : `${message}. Use --help to list the commands.`;
}
