import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bareEnvironment, STEWARD } from '@steward/testkit/panel/panel-process.ts';
import { createRestoreTarget, readSchema } from '@steward/testkit/panel/restored-database.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { waitForLocks } from '@steward/testkit/postgres/test-database.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createOldRecords,
  month,
  monthName,
  type PartitionedLog,
  partitionOf,
} from '../audit/support/partitioned-log.ts';

const PATIENT = { timeout: 300_000 };

const detachArgs = (file: string) => [
  ...['audit', 'detach', '--before', monthName(-1), '--export', file],
];

async function run(args: string[], env: NodeJS.ProcessEnv) {
  const { code, stdout, stderr } = await steward(args, env);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const verify = async ({ env }: PartitionedLog) =>
  JSON.parse(await run(['audit', 'verify', '--json'], env));

/** Starts the command as a process that the test kills. */
function start(args: string[], env: NodeJS.ProcessEnv) {
  const child = spawn(STEWARD, args, { env: { ...bareEnvironment(), ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  return async () => {
    child.kill('SIGKILL');
    await exited;
  };
}

/** Keeps the command from detaching, until the returned function is called. */
async function blockDetachment({ pool }: PartitionedLog) {
  const client = await pool.connect();
  await client.query('BEGIN; LOCK TABLE audit_log IN ACCESS SHARE MODE');
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

describe('steward audit detach', PATIENT, () => {
  it('exports and detaches; audit verify and verify-export state what they verified', async () => {
    const log = await createOldRecords();
    const file = join(temporaryFolder(), 'audit.jsonl');
    const printed = await run(detachArgs(file), log.env);
    expect(printed).toContain(`Detached 5 records from before ${monthName(-1)} (record 1 to 6).`);
    expect(printed).toContain(`steward_detached.${partitionOf(-2)}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const verified = await run(['audit', 'verify'], log.env);
    expect(verified).toContain(`5 records from before ${monthName(-1)} are detached`);
    expect(await run(['audit', 'verify-export', file], log.env)).toContain(
      'Export verified: 5 records',
    );
    expect(await run(detachArgs(file), log.env)).toContain('Already detached');
    await log.owner.pool.query(
      `DROP TABLE steward_detached.audit_log_first, steward_detached.${partitionOf(-2)}`,
    );
    expect(await verify(log)).toMatchObject({ ok: true, detached: { records: 5 } });
  });

  it('continues after a kill between the export and the detachment', async () => {
    const log = await createOldRecords();
    const file = join(temporaryFolder(), 'audit.jsonl');
    const unblock = await blockDetachment(log);
    const kill = start(detachArgs(file), log.env);
    await waitForLocks({ pool: log.superuser }, 1);
    expect(existsSync(file)).toBe(true);
    await kill();
    await unblock();
    expect(await log.listRecordPartitions()).toHaveLength(10);
    expect(await verify(log)).toMatchObject({ ok: true, detached: null });

    await run(detachArgs(file), log.env);
    await run(['audit', 'verify-export', file], log.env);
    expect(await verify(log)).toMatchObject({ ok: true, detached: { records: 5 } });
  });

  it('starts again after a kill during the export', async () => {
    const log = await createOldRecords();
    const old = new Date(month(-3));
    log.clock.time = old;
    const many = Array.from({ length: 5000 }, (_, index) => ({
      ...({ action: 'set_limit', entityType: 'license', entityId: index } as const),
      context: { text: 'x'.repeat(1000) },
    }));
    await log.db
      .transaction()
      .execute((trx) => log.audit.record(trx, { actor: 'system', via: 'worker' }, many));
    await log.chain.seal();
    const folder = temporaryFolder();
    const file = join(folder, 'audit.jsonl');
    const kill = start(detachArgs(file), log.env);
    const written = () =>
      Math.max(0, ...readdirSync(folder).map((name) => statSync(join(folder, name)).size));
    await expect.poll(written, { timeout: 120_000, interval: 5 }).toBeGreaterThan(1_000_000);
    await kill();
    expect(existsSync(file)).toBe(false);
    expect(await verify(log)).toMatchObject({ ok: true, detached: null });

    await run(detachArgs(file), log.env);
    expect(readdirSync(folder)).toEqual(['audit.jsonl']);
    expect(await run(['audit', 'verify-export', file], log.env)).toContain('5005 records');
  });
});

it(
  'a backup contains partitions and checkpoints, and leaves detached tables out',
  PATIENT,
  async () => {
    const log = await createOldRecords();
    const folder = temporaryFolder();
    const [file, backup] = [join(folder, 'audit.jsonl'), join(folder, 'panel.tar')];
    await run(detachArgs(file), log.env);
    await run(['backup', backup], log.env);
    const target = await createRestoreTarget();
    await run(['restore', backup], target.env);
    const verified = JSON.parse(await run(['audit', 'verify', '--json'], target.env));
    expect(verified).toMatchObject({ ok: true, detached: { records: 5, before: monthName(-1) } });
    await run(['audit', 'verify-export', file], target.env);
    const expected = (await readSchema(log.pool)).filter(
      (line) => !line.includes('steward_detached'),
    );
    expect(await readSchema(target.pool)).toEqual(expected);
    const { rows } = await target.pool.query(
      `SELECT to_regnamespace('steward_detached') AS schema, tableoid::regclass::text AS name
     FROM audit_log WHERE id = 5`,
    );
    expect(rows).toEqual([{ schema: null, name: partitionOf(-1) }]);
  },
);
