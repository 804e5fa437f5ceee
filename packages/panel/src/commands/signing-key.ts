import { Command } from 'commander';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

export function signingKeyCommand(context: CommandContext): Command {
  const signingKey = new Command('signing-key').description(
    'replace the key that calls to sites are signed with',
  );
  signingKey
    .command('rotate')
    .description('make a new key; sites learn of it at their next check-in')
    .action(async () => {
      const { public_key } = await context.withPanel((panel) =>
        panel.services.signingKeys.rotate(COMMAND_LINE),
      );
      context.printLine(`The new public key is ${public_key}.`);
      context.printLine(
        'The former key signs too until you retire it. Wait until all sites have checked in, which takes about a day.',
      );
    });
  signingKey
    .command('retire')
    .description('stop signing with the former key')
    .action(async () => {
      const { retired } = await context.withPanel((panel) =>
        panel.services.signingKeys.retire(COMMAND_LINE),
      );
      context.printLine(
        retired > 0
          ? 'The former key is retired. A site that has not checked in since has to be connected again.'
          : 'There is no former key.',
      );
    });
  return signingKey;
}
