import { ENROLMENT_CODES_MAX } from '@steward/contract';
import type { Command } from 'commander';
import { parseCodeCount, parseLicenseId } from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type Options = { count: number; json?: true };

export function addEnrolCommand(context: CommandContext, license: Command): void {
  license
    .command('enrol')
    .description('create codes that connect one site each, and print them once')
    .argument('<id>', 'license id', parseLicenseId)
    .option('--count <n>', `number of codes, 1 to ${ENROLMENT_CODES_MAX}`, parseCodeCount, 1)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { count, json }: Options) => {
      const codes = await context.withPanel((panel) =>
        panel.services.enrolmentCodes.create(id, count, COMMAND_LINE),
      );
      if (json) return context.printJson(codes);
      for (const { code } of codes) context.printLine(code);
      context.printLine(
        `Each code connects one site to license ${id}. Unused codes expire at ${codes[0]?.expires_at}.`,
      );
    });
}
