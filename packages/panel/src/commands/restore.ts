import { resolve } from 'node:path';
import { Command } from 'commander';
import { createAuditHashes, createAuditService } from '../features/audit/index.ts';
import { openBackup, restorePanel, summarize } from '../features/backup/index.ts';
import { countUnfinishedRuns } from '../features/runs/index.ts';
import { systemClock } from '../platform/clock.ts';
import { type Config, loadConfig } from '../platform/config.ts';
import { connectDatabase, type DatabaseConnection } from '../platform/database/connect.ts';
import { createLogger } from '../platform/logger.ts';
import type { Secrets } from '../platform/secrets.ts';
import { describeContent, openSecrets } from './backup.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

export function createRestoreCommand(context: CommandContext): Command {
  return new Command('restore')
    .description('restore a backup into an empty panel; no panel may run on its database')
    .argument('<file>', 'file that steward backup created')
    .option('--json', 'print one JSON document')
    .action(async (file: string, { json }: { json?: true }) => {
      const path = resolve(file);
      const config = loadConfig(context.env);
      const secrets = openSecrets(config);
      const backup = await openBackup(path);
      try {
        // All checks that need only the file run before the first connection to the database.
        await backup.assertRestorable(secrets);
        await backup.verifyParts();
        await restore(path, backup, config, secrets);
        const { unfinishedRuns, auditProblem } = await prepareRestoredPanel(
          context,
          backup.manifest.created_at,
        );
        const restored = summarize(path, backup.bytes, backup.manifest);
        if (json) {
          return context.printJson({
            ...restored,
            unfinished_runs: unfinishedRuns,
            audit_problem: auditProblem,
          });
        }
        context.printLine(`Restored ${path}: ${describeContent(restored)}.`);
        context.printLine('All users have to sign in again.');
        if (unfinishedRuns > 0) {
          context.printLine(
            `Unfinished runs: ${unfinishedRuns}. They continue when the panel starts; cancel them there if they are outdated.`,
          );
        }
        if (auditProblem) context.printLine(`Audit log: ${auditProblem}`);
        context.printLine('Start the panel now: npx steward serve');
      } finally {
        await backup.close();
      }
    });
}

async function restore(
  file: string,
  backup: Awaited<ReturnType<typeof openBackup>>,
  config: Config,
  secrets: Secrets,
): Promise<void> {
  const connection = await connectDatabase(config, createLogger('silent'));
  let owner: DatabaseConnection | undefined;
  try {
    owner = await connection.openAsOwner();
    const audit = createAuditService({ clock: systemClock, hashes: createAuditHashes(secrets) });
    await restorePanel({ pool: owner.pool, backup, file, audit, origin: COMMAND_LINE });
  } catch (error) {
    throw addAdvice(error as Error);
  } finally {
    await owner?.close();
    await connection.close();
  }
}

/**
 * Opens the restored panel. This installs the queue and grants the rights of the runtime role. Accepts the head of the
 * restored audit log, and counts the unfinished runs.
 */
function prepareRestoredPanel(context: CommandContext, createdAt: string) {
  return context.withPanel(async ({ services, connection }) => {
    const reason = `Restored the backup of ${createdAt}.`;
    // The data is already restored, so a problem of its audit log is only reported and does not fail the command.
    const auditProblem = await services.acceptAuditHead(reason, COMMAND_LINE).then(
      () => null,
      (error: Error) => error.message,
    );
    return { unfinishedRuns: await countUnfinishedRuns(connection.db), auditProblem };
  });
}

function addAdvice(error: Error): Error {
  const codes = [error, error.cause].map((part) => (part as { code?: string } | undefined)?.code);
  if (!codes.includes(INSUFFICIENT_PRIVILEGE)) return error;
  return new Error(
    `A restore needs the role that owns the tables. Set MIGRATION_DATABASE_URL to it, and restore again. Nothing was restored (${error.message}).`,
    { cause: error },
  );
}
