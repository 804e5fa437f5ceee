import { Command } from 'commander';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

export function createSigningKeyCommand(context: CommandContext): Command {
  const signingKey = new Command('signing-key').description(
    'replace the signing key for calls to sites',
  );
  signingKey
    .command('rotate')
    .description('create a new signing key; sites learn it at their next check-in')
    .action(async () => {
      const { public_key } = await context.withPanel((panel) =>
        panel.services.signingKeys.rotate(COMMAND_LINE),
      );
      context.printLine(`New public key: ${public_key}`);
      context.printLine(
        'The previous key also signs until you retire it. Wait about a day until all sites have checked in, then run: steward signing-key retire',
      );
    });
  signingKey
    .command('retire')
    .description('stop signing with the previous key')
    .action(async () => {
      const { retired } = await context.withPanel((panel) =>
        panel.services.signingKeys.retire(COMMAND_LINE),
      );
      context.printLine(
        retired > 0
          ? 'The previous key is retired. Sites that have not checked in since the rotation must be connected again.'
          : 'There is no previous key to retire.',
      );
    });
  return signingKey;
}
