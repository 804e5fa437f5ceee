import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { DetachCheckpoint } from '../features/audit/index.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

export function createDetachCommand(context: CommandContext): Command {
  return new Command('detach')
    .description('export the records before a month and detach their partitions')
    .requiredOption('--before <month>', 'first month that stays, such as 2027-01', parseMonth)
    .requiredOption('--export <file>', 'file for the exported records')
    .option('--json', 'print one JSON document')
    .action(async (options: { before: Date; export: string; json?: true }) => {
      const path = resolve(options.export);
      const detached = await context.withPanel(async ({ services, connection }) => {
        const owner = await connection.openAsOwner();
        try {
          const { before } = options;
          const input = { before, path, origin: COMMAND_LINE, owner: owner.db };
          return await services.auditDetach.detach(input);
        } finally {
          await owner.close();
        }
      });
      if (options.json) return context.printJson({ file: path, ...detached });
      if (detached.is_repeated) {
        return context.printLine(`Already detached: ${describe(detached)}.`);
      }
      context.printLine(`Detached ${describe(detached)}.`);
      context.printLine(
        `The export is in ${path}. Verify it: npx steward audit verify-export FILE`,
      );
      const tables = detached.partitions.map((name) => `steward_detached.${name}`).join(', ');
      context.printLine(`The database keeps the records until you drop ${tables}.`);
    });
}

export function createVerifyExportCommand(context: CommandContext): Command {
  return new Command('verify-export')
    .description('verify an export of detached records against the checkpoint of this panel')
    .argument('<file>', 'file that steward audit detach created')
    .option('--json', 'print one JSON document')
    .action(async (file: string, { json }: { json?: true }) => {
      const path = resolve(file);
      const verified = await context.withPanel(({ services }) =>
        services.auditDetach.verifyExport(path),
      );
      if (json) return context.printJson({ file: path, ...verified });
      context.printLine(`Export verified: ${describe(verified)}, no problems.`);
    });
}

const describe = ({ records, before, first_record_id, last_record_id }: DetachCheckpoint) =>
  `${records} records from before ${before} (record ${first_record_id} to ${last_record_id})`;

function parseMonth(text: string): Date {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return new Date(`${text}-01T00:00:00Z`);
  throw new InvalidArgumentError('It must be a month, such as 2027-01.');
}
