import { Command } from 'commander';
import { addAuditPartitions, MONTHS_AHEAD } from '../features/audit/index.ts';
import type { Panel } from '../panel.ts';
import { systemClock } from '../platform/clock.ts';
import { loadConfig } from '../platform/config.ts';
import { connectDatabase } from '../platform/database/connect.ts';
import { type MigrationPlan, planMigrations } from '../platform/database/migrate.ts';
import { createLogger } from '../platform/logger.ts';
import type { CommandContext } from './command-context.ts';

const UP_TO_DATE = 'The database is up to date.';

export function createMigrateCommand(context: CommandContext): Command {
  return new Command('migrate')
    .description('apply pending database migrations')
    .option('--plan', 'only list the pending migrations')
    .option('--json', 'print one JSON document')
    .action(async ({ plan, json }: { plan?: true; json?: true }) => {
      if (plan) return printPlan(context, await readPlan(context), json);
      const { migrated, created, problem } = await context.withPanel(migratePanel);
      if (json) {
        return context.printJson({ migrated, audit_partitions: { created, problem } });
      }
      for (const name of migrated) context.printLine(`Applied migration ${name}.`);
      for (const name of created) context.printLine(`Created the partition ${name}.`);
      if (problem) {
        return context.printLine(
          `The database needs partitions of the audit log for the next months (${problem}). Set MIGRATION_DATABASE_URL to the role that owns the tables, and run npx steward migrate.`,
        );
      }
      if (migrated.length + created.length === 0) context.printLine(UP_TO_DATE);
    });
}

/** Opening the panel has migrated it. An operator who migrates expects all partitions, not the minimum. */
async function migratePanel({ migrated, partitions, connection }: Panel) {
  const more = await addAuditPartitions(connection, systemClock.now(), MONTHS_AHEAD);
  return { migrated, created: [...partitions.created, ...more.created], problem: more.problem };
}

/** Without `withPanel`, which would migrate. */
async function readPlan({ env }: CommandContext): Promise<MigrationPlan> {
  const connection = await connectDatabase(loadConfig(env), createLogger('silent'));
  try {
    return await planMigrations(connection.db);
  } finally {
    await connection.close();
  }
}

function printPlan(context: CommandContext, { pending, isNewer }: MigrationPlan, json?: true) {
  if (json) {
    const migrations = pending.map(({ name, breaksOlderVersions }) => ({
      name,
      breaks_older_versions: breaksOlderVersions,
    }));
    return context.printJson({ pending: migrations, newer_database: isNewer });
  }
  if (isNewer) {
    return context.printLine(
      'A newer version of Steward has migrated the database. This version can still use it.',
    );
  }
  if (pending.length === 0) return context.printLine(UP_TO_DATE);
  for (const { name, breaksOlderVersions } of pending) {
    const note = breaksOlderVersions ? '  Stop all processes of older versions first.' : '';
    context.printLine(`${name}${note}`);
  }
}
