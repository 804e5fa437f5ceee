import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testLog, testLogger } from '@steward/testkit/logs.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startWorker } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBackupService, createScheduledBackups } from '../../src/features/backup/index.ts';

const HOUR_MS = 3_600_000;

describe('scheduled backups', () => {
  const panel = useTestPanel();
  const clock = { now: () => panel.fakes.now };
  const open = (folder: string, backups = panel.services.backups) =>
    createScheduledBackups(
      { ...panel, ...panel.services, backups, log: testLogger(), clock },
      { folder, everyHours: 24, keep: 2 },
    );
  const passHours = (hours: number) => {
    panel.fakes.now = new Date(panel.fakes.now.getTime() + hours * HOUR_MS);
  };
  const countFailures = async () =>
    (
      await panel.pool.query(
        `SELECT FROM audit_log WHERE entity_type = 'backup' AND action = 'fail'`,
      )
    ).rowCount;
  const backupsIn = (folder: string) =>
    readdirSync(folder)
      .filter((name) => name.startsWith('steward-'))
      .map((name) => name.slice('steward-12345678-'.length));

  it('are created when they are due; only the newest are kept', async () => {
    const folder = temporaryFolder();
    const scheduled = open(folder);
    writeFileSync(join(folder, 'notes.txt'), 'keep me');
    writeFileSync(join(folder, 'steward-00000000-20260101T000000Z.tar'), 'of another panel');

    await scheduled.runIfDue();
    passHours(23);
    await scheduled.runIfDue();
    expect(backupsIn(folder)).toEqual(['20260101T000000Z.tar', '20260601T120000Z.tar']);
    for (let day = 0; day < 3; day++) {
      passHours(24);
      await scheduled.runIfDue();
    }
    expect(backupsIn(folder).toSorted()).toEqual([
      '20260101T000000Z.tar',
      '20260604T110000Z.tar',
      '20260605T110000Z.tar',
    ]);
    expect(readdirSync(folder)).toContain('notes.txt');
  });

  it('that fail are recorded and announced once a day, and retried after an hour', async () => {
    const folder = join(temporaryFolder(), 'unmounted');
    const scheduled = open(folder);
    passHours(24);
    await scheduled.runIfDue();
    await scheduled.runIfDue();
    passHours(1);
    await scheduled.runIfDue();
    const { db } = panel;
    const records = await db
      .selectFrom('audit_log')
      .select(['action', 'context'])
      .where('entity_type', '=', 'backup')
      .where('action', '=', 'fail')
      .execute();
    const reason = `Cannot read BACKUP_FOLDER ${folder}. It does not exist.`;
    expect(records).toMatchObject([{ context: { reason } }, { context: { reason } }]);
    const events = await db
      .selectFrom('notification_events')
      .select(['type', 'data'])
      .where('type', '=', 'backup.failed')
      .execute();
    expect(events).toEqual([{ type: 'backup.failed', data: { reason } }]);

    // A killed process left a partial file.
    mkdirSync(folder);
    const partial = `.steward-${await readPanelId()}-20260601T000000Z.tar.partial-1234`;
    writeFileSync(join(folder, partial), 'partial');
    passHours(1);
    await scheduled.runIfDue();
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^steward-.*Z\.tar$/)]);
  });

  it('are left to the workers of a newer version, without a failure', async () => {
    const folder = temporaryFolder();
    const failures = await countFailures();
    await panel.executeAsTableOwner(
      `INSERT INTO kysely_migration (name, timestamp) VALUES ('9998_adds_a_column', now()::text)`,
    );
    passHours(24);
    await open(folder).runIfDue();
    expect(readdirSync(folder)).toEqual([]);
    expect(await countFailures()).toBe(failures);
    await panel.executeAsTableOwner(`DELETE FROM kysely_migration WHERE name LIKE '9998%'`);
    await open(folder).runIfDue();
    expect(backupsIn(folder)).toHaveLength(1);
  });

  /** The part of the file name that identifies the panel. */
  async function readPanelId() {
    const [record] = await listAuditRecordsOfBackups();
    return record?.entity_id.split('-')[1];
  }
  const listAuditRecordsOfBackups = () =>
    panel.db
      .selectFrom('audit_log')
      .select('entity_id')
      .where('entity_type', '=', 'backup')
      .execute();

  it('of a suspended worker do not replace the success of another worker', async () => {
    const folder = temporaryFolder();
    // Without a free connection, the backup waits after it has opened its partial file.
    const directPool = new pg.Pool({ connectionString: panel.databaseUrl, max: 1 });
    onTestFinished(() => directPool.end());
    const client = await directPool.connect();
    const backups = createBackupService({ ...panel, ...panel.services, clock, directPool });
    passHours(24);
    const failures = await countFailures();
    const suspended = open(folder, backups).runIfDue();
    await expect.poll(() => readdirSync(folder)).toHaveLength(1);

    passHours(0.1);
    await open(folder).runIfDue();
    const created = backupsIn(folder);
    expect(created).toHaveLength(1);
    passHours(0.1);
    client.release();
    await suspended;
    expect(await countFailures()).toBe(failures);
    expect(backupsIn(folder)).toEqual(created);
    // A recorded failure would make the next backup due after an hour.
    passHours(2);
    await open(folder).runIfDue();
    expect(backupsIn(folder)).toEqual(created);
  });

  it('that fail after a backup in the future are recorded', async () => {
    passHours(24);
    await open(temporaryFolder()).runIfDue();
    passHours(-48);
    const failures = Number(await countFailures());
    await open(join(temporaryFolder(), 'unmounted')).runIfDue();
    expect(await countFailures()).toBe(failures + 1);
    passHours(48);
  });

  it('of a worker that stops leave no file and are no failure', async () => {
    const folder = temporaryFolder();
    passHours(24);
    const before = (await listAuditRecordsOfBackups()).length;
    await open(folder).runIfDue(AbortSignal.abort());
    expect(readdirSync(folder)).toEqual([]);
    expect(await listAuditRecordsOfBackups()).toHaveLength(before);
  });
});

it('two workers create one backup, which the command lists and verifies', {
  timeout: 300_000,
}, async () => {
  const database = await usePanelDatabase();
  await database.newUser();
  const env = { ...database.env, BACKUP_FOLDER: temporaryFolder(), BACKUP_EVERY: '1' };
  await Promise.all([startWorker(env), startWorker(env)]);
  const list = async () => JSON.parse((await steward(['backup', '--list', '--json'], env)).stdout);
  await expect.poll(list, { timeout: 60_000, interval: 500 }).toHaveLength(1);
  const [{ file }] = await list();
  const verified = await steward(['backup', '--verify', file], env);
  expect(verified.stdout).toContain('is complete');
  const name = file.slice(env.BACKUP_FOLDER.length + 1);
  expect(await listAuditRecords(database, 'backup', name)).toHaveLength(1);

  const damaged = name.replace(/\d{8}T/, '20200101T');
  writeFileSync(join(env.BACKUP_FOLDER, damaged), 'cut off');
  const listed = await steward(['backup', '--list', '--json'], env);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ file }]);
  expect(listed).toMatchObject({ code: 1, stderr: expect.stringContaining(damaged) });
});

it('a worker warns at start of a backup folder that does not exist', async () => {
  const database = await usePanelDatabase();
  const folder = join(temporaryFolder(), 'unmounted');
  const worker = await database.startWorker({ BACKUP_FOLDER: folder }, {});
  onTestFinished(worker.stop);
  expect(testLog()).toContain(
    `"reason":"Cannot write to BACKUP_FOLDER ${folder}. It does not exist.","msg":"Scheduled backups fail until`,
  );
});
