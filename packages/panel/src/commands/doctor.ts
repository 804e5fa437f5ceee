import { Command } from 'commander';
import type { UsageRecord } from '../features/licenses/index.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type DoctorOptions = { repair?: boolean; json?: true };

export function createDoctorCommand(context: CommandContext): Command {
  return new Command('doctor')
    .description('compare the stored usage of each license with its active sites')
    .option('--repair', 'store the true counts')
    .option('--json', 'print one JSON document')
    .action(async ({ repair = false, json }: DoctorOptions) => {
      const { licenses, differences } = await context.withPanel(async ({ services: { usage } }) => {
        const found = await usage.check();
        if (!repair) return found;
        const repaired: UsageRecord[] = [];
        for (const { license_id } of found.differences) {
          const difference = await usage.repair(license_id, COMMAND_LINE);
          if (difference) repaired.push(difference);
        }
        return { ...found, differences: repaired };
      });
      const ok = differences.length === 0 || repair;
      if (!ok) context.endWithFailure();
      if (json) return context.printJson({ ok, licenses, differences, repaired: repair });
      for (const difference of differences) context.printLine(describe(difference));
      context.printLine(summarize(licenses, differences.length, repair));
    });
}

function describe({ license_id, stored, actual }: UsageRecord): string {
  return `License ${license_id}: stored usage ${list(stored)}, active sites ${list(actual)}.`;
}

const list = ({ counted_sites, uncounted_sites }: UsageRecord['stored']) =>
  `${counted_sites} counted and ${uncounted_sites} uncounted`;

function summarize(licenses: number, differences: number, repair: boolean): string {
  if (differences === 0) return `Usage verified: ${licenses} licenses, no problems.`;
  if (repair) return `Repaired ${differences} of ${licenses} licenses.`;
  return `The usage of ${differences} of ${licenses} licenses is wrong. To correct it, add --repair.`;
}
