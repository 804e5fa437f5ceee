import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitForLocks } from '@steward/testkit/postgres/test-database.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it } from 'vitest';
import { withDetachLock } from '../../src/features/audit/audit-detach.repository.ts';
import { createAuditDetach } from '../../src/features/audit/audit-detach.service.ts';
import { createAuditLog } from '../../src/features/audit/audit-log.service.ts';
import {
  createOldRecords,
  month,
  monthName,
  type PartitionedLog,
  partitionOf,
} from './support/partitioned-log.ts';

const ORIGIN = { actor: 'system', via: 'command_line' } as const;

/** Creates a log whose records from before the last month were exported to `path` and detached. */
async function createDetachedLog() {
  const log = await createOldRecords();
  const path = join(temporaryFolder(), 'audit.jsonl');
  const service = createAuditDetach(log);
  const detach = (offset: number, file = path) =>
    service.detach({ before: month(offset), path: file, origin: ORIGIN, owner: log.owner.db });
  const checkpoint = await detach(-1);
  return { ...log, path, service, detach, checkpoint };
}

describe('audit detach', () => {
  it('exports and detaches old partitions; the chain stays valid', async () => {
    const { checkpoint, chain, openProcess, listRecordPartitions, pool, owner, path } =
      await createDetachedLog();
    expect(checkpoint).toMatchObject({
      before: monthName(-1),
      partitions: ['audit_log_first', partitionOf(-2)],
      records: 5,
      // The record at position 6 was sealed after one of the next month.
      positions: [
        [1, 4],
        [6, 6],
      ],
      first_record_id: 1,
      last_record_id: 6,
      is_repeated: false,
    });
    expect(await listRecordPartitions()).toEqual([-1, -1, 0, -1, 0, 0].map(partitionOf));
    expect(await chain.verify()).toMatchObject({
      ok: true,
      records: 11,
      detached: { records: 5, before: monthName(-1) },
    });
    // The sealed head and the monitor of a running panel know the checkpoint too.
    const { head, monitor } = openProcess();
    expect(await head.verifyAndSeal({ isFirst: true, verifiesNewestAgain: true })).toBeNull();
    expect(await head.verifyAndSeal({ verifiesNewestAgain: true })).toBeNull();
    await monitor.check();
    await monitor.walk();
    expect(monitor.getWarning()).toBeNull();
    const { rows } = await pool.query(
      `SELECT action, entity_id, context FROM audit_log WHERE entity_type = 'audit_log'`,
    );
    expect(rows).toMatchObject([
      { action: 'detach', entity_id: monthName(-1), context: { records: 5, file: 'audit.jsonl' } },
    ]);
    const kept = await owner.pool.query('SELECT id FROM steward_detached.audit_log_first');
    expect(kept.rows).toEqual([{ id: 1 }, { id: 2 }]);
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    // The fields of the usual export, and those that the hashes cover.
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      id: 1,
      at: new Date(month(-4).getTime() + 1000).toISOString(),
      ...{ actor: 'system', action: 'set_limit', entity_type: 'license', entity_id: '1' },
      ...{ site_id: null, context: { to: 5, note: 'a\u2028b', via: 'command_line' } },
      ...{ ip: null, request_id: null, actor_name: null, site: null, entity_name: null },
      stored: {
        at: expect.stringMatching(/^\d+\.\d{6}$/),
        context: expect.stringContaining('"to": 5'),
        previous_seq: null,
        previous_hash: null,
      },
      link: { seq: 1, record_hash: hash, previous_hash: '0'.repeat(64), hash },
    });
  });

  it('states from which month on the log is complete', async () => {
    const { db } = await createDetachedLog();
    const log = createAuditLog({ db });
    expect(await log.findCompleteFrom()).toBe(month(-1).toISOString());
    const { records } = await log.list({}, { limit: 50 });
    expect(records).toHaveLength(6);
  });

  it('detaches further months later', async () => {
    const { detach, chain, service, path } = await createDetachedLog();
    const second = join(temporaryFolder(), 'second.jsonl');
    expect(await detach(0, second)).toMatchObject({ records: 3, partitions: [partitionOf(-1)] });
    expect(await chain.verify()).toMatchObject({
      ok: true,
      detached: { records: 8, before: monthName(0) },
    });
    await service.verifyExport(path);
    await service.verifyExport(second);
  });

  it('stores a record of a detached month in the default partition', async () => {
    const { recordAt, listRecordPartitions, chain } = await createDetachedLog();
    await recordAt(month(-3));
    expect((await listRecordPartitions()).at(-1)).toBe('audit_log_default');
    expect(await chain.verify()).toMatchObject({ ok: true, records: 12 });
  });

  it('succeeds when it is repeated', async () => {
    const { detach, checkpoint } = await createDetachedLog();
    expect(await detach(-1)).toEqual({ ...checkpoint, is_repeated: true });
  });

  it('does not claim that a repeated call wrote another file', async () => {
    const { detach, path } = await createDetachedLog();
    const other = join(temporaryFolder(), 'other.jsonl');
    await expect(detach(-1, other)).rejects.toThrow(`${other} was not written`);
    await expect(readFile(other)).rejects.toThrow('ENOENT');
    await detach(0, other);
    await expect(detach(0, path)).rejects.toThrow('is the export of other records');
  });

  it('lets requests write while it counts the records', async () => {
    const log = await createOldRecords();
    const path = join(temporaryFolder(), 'audit.jsonl');
    const blocker = await log.superuser.connect();
    await blocker.query('BEGIN; LOCK TABLE audit_log_first IN ROW EXCLUSIVE MODE');
    let isDetached = false;
    const detached = createAuditDetach(log)
      .detach({ before: month(-1), path, origin: ORIGIN, owner: log.owner.db })
      .finally(() => {
        isDetached = true;
      });
    const result = expect(detached).resolves.toMatchObject({ records: 5 });
    await waitForLocks({ pool: log.superuser }, 1);
    await log.recordAt(month(0));
    expect(isDetached).toBe(false);
    await blocker.query('ROLLBACK');
    blocker.release();
    await result;
  });

  it('does not disturb a verification that starts meanwhile', async () => {
    const log = await createOldRecords();
    const path = join(temporaryFolder(), 'audit.jsonl');
    const [reached, verified] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const audit: typeof log.audit = {
      ...log.audit,
      async record(...call) {
        reached.resolve();
        await verified.promise;
        return log.audit.record(...call);
      },
    };
    const detached = createAuditDetach({ ...log, audit }).detach({
      ...{ before: month(-1), path, origin: ORIGIN, owner: log.owner.db },
    });
    await reached.promise;
    const verification = log.chain.verify();
    await waitForLocks({ pool: log.superuser }, 1);
    verified.resolve();
    await detached;
    expect(await verification).toMatchObject({ ok: true, detached: { records: 5 } });
  });

  it('refuses an export from before the database was restored', async () => {
    const log = await createOldRecords();
    const path = join(temporaryFolder(), 'audit.jsonl');
    const options = { before: month(-1), path, origin: ORIGIN };
    const service = createAuditDetach(log);
    await expect(service.detach({ ...options, owner: log.db })).rejects.toThrow();
    await log.cutAfter(0);
    for (const offset of [-4, -3, -2, -2, -2, 0]) await log.recordAt(month(offset), 2);
    log.clock.time = new Date();
    await expect(service.detach({ ...options, owner: log.owner.db })).rejects.toThrow(
      'does not match the hash chain',
    );
    expect(await log.listRecordPartitions()).toHaveLength(6);
  });

  it('refuses the current and later months, and months without a partition', async () => {
    const { detach, path } = await createDetachedLog();
    await expect(detach(1)).rejects.toThrow('Only past months can be detached');
    await expect(detach(-2)).rejects.toThrow(
      `No partition ends before ${monthName(-2)}. Choose ${monthName(0)} or a later month.`,
    );
    // Only the current month is left, which the command does not detach yet.
    await detach(0, `${path}.2`);
    await expect(detach(-2)).rejects.toThrow(
      `No partition ends before ${monthName(-2)}. The oldest records can be detached from ${monthName(1)} on.`,
    );
  });

  it('refuses a log that is not valid', async () => {
    const log = await createOldRecords();
    await log.tamper(`UPDATE audit_log SET actor = '7' WHERE id = 9`);
    const path = join(temporaryFolder(), 'audit.jsonl');
    const detaching = createAuditDetach(log).detach({
      ...{ before: month(-1), path, origin: ORIGIN, owner: log.owner.db },
    });
    await expect(detaching).rejects.toThrow('nothing was detached');
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  it('refuses the role of the panel', async () => {
    const log = await createOldRecords();
    const path = join(temporaryFolder(), 'audit.jsonl');
    const options = { before: month(-1), path, origin: ORIGIN };
    const service = createAuditDetach(log);
    await expect(service.detach({ ...options, owner: log.db })).rejects.toThrow(
      'MIGRATION_DATABASE_URL',
    );
    expect(await log.listRecordPartitions()).toHaveLength(10);
    // The owner continues with the export.
    expect(await service.detach({ ...options, owner: log.owner.db })).toMatchObject({ records: 5 });
    expect(await service.verifyExport(path)).toMatchObject({ records: 5 });
  });

  it('runs once at a time', async () => {
    const log = await createOldRecords();
    const service = createAuditDetach(log);
    const path = join(temporaryFolder(), 'audit.jsonl');
    const options = { before: month(-1), path, origin: ORIGIN, owner: log.owner.db };
    await withDetachLock(log.owner.db, async () => {
      await expect(service.detach(options)).rejects.toThrow('Another process is detaching');
    });
    await service.detach(options);
    expect(await service.verifyExport(path)).toMatchObject({ records: 5 });
  });

  it('refuses if a record reached one of the months after the export', async () => {
    const log = await createOldRecords();
    const path = join(temporaryFolder(), 'audit.jsonl');
    const options = { before: month(-1), path, origin: ORIGIN };
    const service = createAuditDetach(log);
    await expect(service.detach({ ...options, owner: log.db })).rejects.toThrow();
    await log.recordAt(month(-3));
    log.clock.time = new Date();
    await expect(service.detach({ ...options, owner: log.owner.db })).rejects.toThrow(
      'Run the command again with another file',
    );
  });
});

describe('tampering after a detachment', () => {
  const CHECKPOINTS = 'audit_checkpoints DISABLE TRIGGER USER';
  it.each([
    ['a changed record', `UPDATE audit_log SET actor = '7' WHERE id = 7`, 'record 7'],
    ['a removed record', 'DELETE FROM audit_log WHERE id = 7', 'record 7'],
    [
      'a partition that was detached outside Steward',
      `ALTER TABLE audit_log DETACH PARTITION ${partitionOf(-1)}`,
      'record 5',
    ],
    [
      'a removed checkpoint',
      `ALTER TABLE ${CHECKPOINTS}; DELETE FROM audit_checkpoints`,
      'record 1',
    ],
    [
      'a changed checkpoint',
      `ALTER TABLE ${CHECKPOINTS};
       UPDATE audit_checkpoints SET content = replace(content, '[6,6]', '[6,7]')`,
      'checkpoint 1',
    ],
    [
      'an inserted checkpoint',
      `INSERT INTO audit_checkpoints (content, mac) VALUES ('{"positions":[[1,9]]}', 'x')`,
      'checkpoint 2',
    ],
    [
      'a forged record with the id of a detached one',
      `INSERT INTO audit_log (id, at, actor, action, entity_type, entity_id, context)
       OVERRIDING SYSTEM VALUE VALUES (2, now(), '7', 'x', 'x', 'x', '{}')`,
      'record 2',
    ],
    [
      'a changed link of a detached record',
      `UPDATE audit_chain SET record_hash = sha256('x') WHERE seq = 2`,
      'record 2',
    ],
  ])('is found by audit verify: %s', async (_, statement, where) => {
    const { chain, tamper, openProcess } = await createDetachedLog();
    await tamper(statement);
    const { ok, broken } = await chain.verify();
    expect({ ok, message: broken?.message }).toEqual({
      ok: false,
      message: expect.stringContaining(`failed at ${where}:`),
    });
    const { monitor } = openProcess();
    await monitor.walk();
    expect(monitor.getWarning()).toMatchObject({ severity: 'alarm' });
  });

  const edit = (change: (lines: string[]) => string[]) => async (path: string) => {
    const lines = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, change(lines).join('\n'));
  };
  const replaceIn = (index: number, from: string, to: string) =>
    edit((lines) => lines.map((line, at) => (at === index ? line.replace(from, to) : line)));

  it.each([
    ['a changed actor', replaceIn(2, '"actor":"system"', '"actor":"7"'), /Record 3 .* hash/],
    ['a changed display value', replaceIn(2, '"to":5', '"to":6'), /do not match the manifest/],
    ['a changed link', replaceIn(2, '"seq":3', '"seq":30'), /Record 3 .* link/],
    ['a removed line', edit((lines) => lines.toSpliced(1, 1)), /do not match the manifest/],
    ['swapped lines', edit(([a = '', b = '', ...rest]) => [b, a, ...rest]), /not in the order/],
    ['a changed manifest', replaceIn(5, '"records":5', '"records":4'), /signature is not valid/],
    ['a damaged line', edit((lines) => lines.with(1, '{"id":')), /^Line 2 of the file is damaged/],
    [
      'a line without a record',
      edit((lines) => lines.with(0, '{}')),
      /^Line 1 of the file is damaged/,
    ],
    ['a cut file', edit((lines) => lines.slice(0, 4)), /incomplete/],
    ['an empty file', edit(() => []), /incomplete/],
  ])('is found by audit verify-export: %s', async (_, tamperWith, message) => {
    const { path, service } = await createDetachedLog();
    expect(await service.verifyExport(path)).toMatchObject({ records: 5 });
    await tamperWith(path);
    await expect(service.verifyExport(path)).rejects.toThrow(message);
  });

  it('is found by audit verify-export: the checkpoint was removed or changed', async () => {
    const { path, service, tamper } = await createDetachedLog();
    await tamper(`ALTER TABLE ${CHECKPOINTS}; UPDATE audit_checkpoints SET mac = 'x'`);
    await expect(service.verifyExport(path)).rejects.toThrow('Checkpoint 1');
    await tamper('DELETE FROM audit_checkpoints');
    await expect(service.verifyExport(path)).rejects.toThrow('no checkpoint');
  });

  it('is found by audit verify: the manifest of an export, inserted as a checkpoint', async () => {
    const { path, tamper, chain }: Pick<PartitionedLog, 'tamper' | 'chain'> & { path: string } =
      await createDetachedLog();
    const { manifest, mac } = JSON.parse(
      (await readFile(path, 'utf8')).trimEnd().split('\n')[5] ?? '',
    );
    const content = JSON.stringify(manifest);
    await tamper(`INSERT INTO audit_checkpoints (content, mac) VALUES ('${content}', '${mac}')`);
    expect(await chain.verify()).toMatchObject({ broken: { problem: 'checkpoint_changed' } });
  });
});
