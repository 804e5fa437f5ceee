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
    .option('--yes', 'do not ask if some sites may not have the new key')
    .action(async ({ yes = false }: { yes?: boolean }) => {
      await context.withPanel(async ({ services: { signingKeys } }) => {
        const sites = yes ? 0 : await signingKeys.countSitesWithPreviousKey();
        if (sites > 0 && !(await isConfirmed(context, sites))) {
          context.printLine('The previous key was not retired.');
          return context.endWithFailure();
        }
        const { retired } = await signingKeys.retire(COMMAND_LINE);
        context.printLine(
          retired > 0
            ? 'The previous key is retired. Sites that have not checked in since the rotation must be connected again.'
            : 'There is no previous key to retire.',
        );
      });
    });
  return signingKey;
}

async function isConfirmed(context: CommandContext, sites: number): Promise<boolean> {
  const warning =
    sites === 1
      ? '1 connected site may not have the new key: it has not checked in since the rotation, or its license is not valid. It must be connected again after the previous key is retired.'
      : `${sites} connected sites may not have the new key: they have not checked in since the rotation, or their license is not valid. They must be connected again after the previous key is retired.`;
  const answer = await context.confirm(`${warning} Retire the previous key?`);
  if (answer !== null) return answer;
  throw new Error(`${warning} To retire it now, add --yes.`);
}
