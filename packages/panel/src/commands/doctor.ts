import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { findFolderProblem } from '../features/backup/index.ts';
import type { UsageRecord } from '../features/licenses/index.ts';
import type { Panel } from '../panel.ts';
import type { Config } from '../platform/config.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

const REPLICA_ATTEMPTS = 5;
const REPLICA_PAUSE_MS = 500;

type DoctorOptions = { repair?: boolean; json?: true };

/** A fault of this installation that `--repair` cannot correct. */
type Problem = { check: 'backup_folder' | 'replica'; message: string };

export function createDoctorCommand(context: CommandContext): Command {
  return new Command('doctor')
    .description(
      'check the stored usage of each license against its active sites, the backup folder and the replica',
    )
    .option('--repair', 'store the true counts')
    .option('--json', 'print one JSON document')
    .action(async ({ repair = false, json }: DoctorOptions) => {
      const { licenses, differences, problems } = await context.withPanel(async (panel, config) => {
        const { usage } = panel.services;
        const found = { ...(await usage.check()), problems: await findProblems(panel, config) };
        if (!repair) return found;
        const repaired: UsageRecord[] = [];
        for (const { license_id } of found.differences) {
          const difference = await usage.repair(license_id, COMMAND_LINE);
          if (difference) repaired.push(difference);
        }
        return { ...found, differences: repaired };
      });
      const ok = (differences.length === 0 || repair) && problems.length === 0;
      if (!ok) context.endWithFailure();
      if (json) return context.printJson({ ok, licenses, differences, repaired: repair, problems });
      for (const difference of differences) context.printLine(describe(difference));
      context.printLine(summarize(licenses, differences.length, repair));
      for (const { message } of problems) context.printLine(message);
    });
}

async function findProblems({ connection }: Panel, { backups }: Config): Promise<Problem[]> {
  const folder = backups && (await findFolderProblem(backups.folder));
  const replica = await findReplicaProblem(connection);
  return [
    ...(folder ? [{ check: 'backup_folder' as const, message: folder }] : []),
    ...(replica !== null
      ? [{ check: 'replica' as const, message: `The replica cannot be used: ${replica}` }]
      : []),
  ];
}

/** A replica that is late for a moment is no problem: it is tried again. */
async function findReplicaProblem(connection: Panel['connection']): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    const problem = await connection.checkReplica();
    if (problem === null || attempt === REPLICA_ATTEMPTS) return problem;
    await sleep(REPLICA_PAUSE_MS);
  }
}

function describe({ license_id, stored, actual }: UsageRecord): string {
  return `License ${license_id}: stored usage ${list(stored)}, active sites ${list(actual)}.`;
}

const list = ({ counted_sites, uncounted_sites }: UsageRecord['stored']) =>
  `${counted_sites} counted and ${uncounted_sites} uncounted`;

function summarize(licenses: number, differences: number, repair: boolean): string {
  const counted = licenses === 1 ? '1 license' : `${licenses} licenses`;
  if (differences === 0) return `Usage verified: ${counted}, no differences.`;
  if (repair) return `Repaired ${differences} of ${licenses} licenses.`;
  return `The usage of ${differences} of ${licenses} licenses is wrong. To correct it, add --repair.`;
}
