import { resolve } from 'node:path';
import { formatBytes } from '@steward/contract';
import { Command } from 'commander';
import { createAuditHashes, createAuditService } from '../features/audit/index.ts';
import {
  type BackupSummary,
  createBackupService,
  openBackup,
  openBackupFolder,
  summarize,
  verifyBackup,
} from '../features/backup/index.ts';
import { systemClock } from '../platform/clock.ts';
import { type Config, findSecretKey, loadConfig } from '../platform/config.ts';
import { connectDatabase } from '../platform/database/connect.ts';
import { createLogger } from '../platform/logger.ts';
import { createSecrets, type Secrets } from '../platform/secrets.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type BackupOptions = { force?: true; verify?: true; list?: true; json?: true };

export function createBackupCommand(context: CommandContext): Command {
  return new Command('backup')
    .description('write a backup of the panel to a file; the panel may run')
    .argument('[file]', 'file to write or to verify')
    .option('--force', 'replace the file if it exists')
    .option('--verify', 'verify that the file is complete and can be restored with this secret')
    .option('--list', 'list the scheduled and requested backups in BACKUP_FOLDER, newest first')
    .option('--json', 'print one JSON document')
    .action(async (file: string | undefined, { force, verify, list, json }: BackupOptions) => {
      const config = loadConfig(context.env);
      const secrets = openSecrets(config);
      if (list) return listBackups(context, config, secrets, json);
      if (file === undefined) throw new Error('Name the file: steward backup FILE.');
      const path = resolve(file);
      const summary = verify
        ? await verifyBackup(path, secrets)
        : await createBackup(path, config, secrets, { replaces: force ?? false });
      if (json) return context.printJson(summary);
      const content = describeContent(summary);
      if (verify) return context.printLine(`${path} is complete: ${content}.`);
      context.printLine(`Created ${path}: ${content}.`);
      context.printLine(
        'A restore also needs the secret (SECRET_KEY, or secret.key in the data directory). Store it in another place.',
      );
    });
}

/** Unlike other commands, creates no secret: a backup and a restore need the secret that the panel already has. */
export function openSecrets(config: Config): Secrets {
  const secretKey = findSecretKey(config);
  if (secretKey !== null) return createSecrets(secretKey);
  throw new Error(
    `There is no secret in ${config.dataDir}. Set SECRET_KEY to the secret of the panel, or copy its secret.key to the data directory.`,
  );
}

export const describeContent = ({ rows, tables, bytes, created_at }: BackupSummary) =>
  `${rows.toLocaleString('en-US')} rows of ${tables} tables, ${formatBytes(bytes)}, from ${created_at}`;

/** Without `withPanel`, which would migrate: the backup may be the step before an upgrade. */
async function createBackup(
  path: string,
  config: Config,
  secrets: Secrets,
  { replaces }: { replaces: boolean },
): Promise<BackupSummary> {
  const connection = await connectDatabase(config, createLogger('silent'));
  try {
    const clock = systemClock;
    const audit = createAuditService({ clock, hashes: createAuditHashes(secrets) });
    const backups = createBackupService({ ...connection, secrets, clock, audit });
    return await backups.create(path, { origin: COMMAND_LINE, replaces });
  } finally {
    await connection.close();
  }
}

async function listBackups(
  context: CommandContext,
  { backups }: Config,
  secrets: Secrets,
  json?: true,
): Promise<void> {
  if (backups === null) throw new Error('Set BACKUP_FOLDER to list its backups.');
  const summaries: BackupSummary[] = [];
  const paths = await openBackupFolder(backups.folder, secrets).list();
  for (const path of paths) {
    try {
      const backup = await openBackup(path);
      summaries.push(summarize(path, backup.bytes, backup.manifest));
      await backup.close();
    } catch (error) {
      // List the others: an operator looks here for another backup.
      context.printNotice((error as Error).message);
      context.endWithFailure();
    }
  }
  if (json) return context.printJson(summaries);
  if (paths.length === 0) return context.printLine('There are no backups.');
  if (summaries.length === 0) return;
  context.printTable(
    ['CREATED', 'VERSION', 'ROWS', 'SIZE', 'FILE'],
    summaries.map(({ created_at, steward_version, rows, bytes, file }) => [
      ...[created_at, steward_version, String(rows), formatBytes(bytes), file],
    ]),
  );
}
