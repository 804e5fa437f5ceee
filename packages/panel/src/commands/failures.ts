import { type Command, CommanderError } from 'commander';
import { withoutSecrets } from '../lib/logger.ts';

/** Has the parser throw its complaints instead of printing them, here and in all commands below. */
export function failInOneLine(command: Command): void {
  command
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ writeErr: () => {}, outputError: () => {} });
  for (const child of command.commands) failInOneLine(child);
}

/** A failure is one line on standard error, never with a key in it, and exit code 1. */
export async function runCommand(program: Command): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads our output may stop reading (`steward license list | head -1`), and a panel
    // goes on without. Any other fault means that the result, perhaps a key, did not arrive.
    if (error.code === 'EPIPE') return;
    process.stderr.write(`${program.name()}: The output could not be written: ${error.message}\n`);
    process.exit(1);
  });
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const line = withoutSecrets(messageOf(error)).replace(/\s+/g, ' ').trim();
    process.stderr.write(`${program.name()}: ${line}\n`);
    process.exitCode = 1;
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof CommanderError)) return error.message;
  if (error.code === 'commander.help') return 'Say what to do; --help lists what there is.';
  return error.message.replace(/^error: /, '');
}
