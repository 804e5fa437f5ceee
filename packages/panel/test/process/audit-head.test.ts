import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it } from 'vitest';
import { createAuditedDatabase } from '../audit/support/audited-database.ts';

/** Ten records, sealed by a process that has kept its head from the first. */
async function sealedLog(records = 10) {
  const database = await createAuditedDatabase();
  const panel = database.openProcess();
  await panel.head.keep();
  await database.recordAtOnce(records);
  await panel.chain.seal();
  const headOnDisk = () => JSON.parse(readFileSync(panel.file.path, 'utf8')).head;
  return { ...database, panel, headOnDisk };
}

const MISSING = { severity: 'alarm', problem: 'records_missing' };

describe('the sealed audit head', () => {
  it('is in a file that only the panel may read, and moves on with the chain', async () => {
    const { panel, record, headOnDisk, dataDir } = await sealedLog();
    const { head } = await panel.chain.verify();
    expect(headOnDisk()).toMatchObject({ records: 10, record_id: 10, hash: head, epoch: 0 });
    expect(statSync(panel.file.path).mode & 0o777).toBe(0o600);
    await record(2);
    expect(await panel.chain.verify()).toMatchObject({ ok: true, sealed_head: null });
    expect(headOnDisk()).toMatchObject({ records: 12, record_id: 12 });
    expect(await readdir(dataDir)).toEqual(['audit-head.json']);
  });

  it('is satisfied when another process, with a data directory of its own, went on', async () => {
    const { panel, record, openProcess, headOnDisk } = await sealedLog();
    const other = openProcess(temporaryFolder());
    await record(3);
    await other.chain.seal();
    expect(headOnDisk()).toMatchObject({ records: 10 });
    expect(await panel.head.keep()).toBeNull();
    expect(headOnDisk()).toMatchObject({ records: 13 });
  });

  it('never goes back, with several processes on one data directory', async () => {
    const { record, openProcess, headOnDisk } = await sealedLog();
    const processes = Array.from({ length: 5 }, () => openProcess());
    let newest = 0;
    for (let round = 0; round < 5; round++) {
      await record(4);
      await Promise.all(processes.map(({ chain }) => chain.seal()));
      expect(headOnDisk().records).toBeGreaterThan(newest);
      newest = headOnDisk().records;
    }
    await Promise.all(processes.map(({ head }) => head.keep()));
    expect(headOnDisk()).toMatchObject({ records: 30 });
  });

  it('may be behind after a crash: what it names is still in the chain', async () => {
    const { panel, chain, record } = await sealedLog();
    await record(5);
    // As by a process that was killed after its commit.
    await chain.seal();
    expect(await panel.head.keep({ rereads: true })).toBeNull();
  });

  it('keeps its size, however many records there are', async () => {
    const { panel } = await sealedLog(3000);
    expect(statSync(panel.file.path).size).toBeLessThan(10_000);
  });
});

describe('deleting the newest audit rows with the triggers off', () => {
  it('is noticed, and the first missing record is named', async () => {
    const { panel, cutAfter, openProcess } = await sealedLog();
    await cutAfter(8);
    expect(await panel.chain.verify()).toMatchObject({
      ok: false,
      broken: null,
      sealed_head: {
        ...MISSING,
        record_id: 9,
        message: expect.stringMatching(/record 9 .*after record 8/),
      },
    });
    // Also by a process that starts afterwards.
    expect(await openProcess().head.keep()).toMatchObject({ ...MISSING, record_id: 9 });
  });

  it('is noticed when all of them are gone', async () => {
    const { panel, cutAfter } = await sealedLog();
    await cutAfter(0);
    expect(await panel.head.keep()).toMatchObject({ ...MISSING, record_id: 1 });
  });

  it('is noticed when only the rows are gone and their links are not', async () => {
    const { panel, tamper } = await sealedLog();
    await tamper('DELETE FROM audit_log WHERE id > 8');
    expect(await panel.head.keep({ rereads: true })).toMatchObject({
      severity: 'alarm',
      problem: 'chain_broken',
      record_id: 9,
    });
  });

  it('stays noticed when the log has grown beyond its former length', async () => {
    const { panel, cutAfter, record, chain, headOnDisk } = await sealedLog();
    await cutAfter(8);
    await record(20);
    await chain.seal();
    const before = headOnDisk();
    expect(await panel.head.keep()).toMatchObject({ ...MISSING, record_id: 9 });
    expect(headOnDisk()).toEqual(before);
    expect(panel.head.finding()).toMatchObject(MISSING);
  });

  it('is named as closely as possible when more records are gone than the head lists', async () => {
    const { panel, cutAfter, recordAtOnce, chain } = await sealedLog(400);
    await cutAfter(150);
    const expected = {
      ...MISSING,
      message: expect.stringMatching(/after record 150 .*number 151/),
    };
    expect(await panel.head.keep()).toMatchObject(expected);
    await recordAtOnce(300);
    await chain.seal();
    expect(await panel.head.keep()).toMatchObject(expected);
  });

  it('is noticed by a running process even if the file was removed or set back with them', async () => {
    const { panel, record, cutAfter } = await sealedLog();
    const former = readFileSync(panel.file.path);
    await record(5);
    await panel.chain.seal();
    await cutAfter(10);
    writeFileSync(panel.file.path, former);
    expect(await panel.head.keep()).toMatchObject({ ...MISSING, record_id: 11 });
    rmSync(panel.file.path);
    expect(await panel.head.keep()).toMatchObject({ ...MISSING, record_id: 11 });
  });
});

describe('without a sealed head to begin from', () => {
  it('says nothing of a log that is empty, or was made before heads were sealed', async () => {
    const { openProcess, record, chain } = await createAuditedDatabase();
    expect(await openProcess(temporaryFolder()).head.keep()).toBeNull();
    await record(3);
    await chain.seal();
    expect(await openProcess(temporaryFolder()).head.keep({ isFirst: true })).toBeNull();
  });

  it('says that the file is new or was removed, begins anew, and says so until it is confirmed', async () => {
    const { panel, openProcess, headOnDisk } = await sealedLog();
    rmSync(panel.file.path);
    const notice = { severity: 'notice', problem: 'file_missing' };
    expect(await openProcess().chain.verify()).toMatchObject({ ok: true, sealed_head: notice });
    expect(headOnDisk()).toMatchObject({ records: 10 });
    const next = openProcess();
    expect(await next.head.keep()).toMatchObject(notice);
    expect(await next.accept('It was a new machine.')).toMatchObject(notice);
    expect(await openProcess().head.keep()).toBeNull();
  });

  it('goes on where the folder cannot be written, and says so', async () => {
    const { openProcess, chain, record } = await createAuditedDatabase();
    const panel = openProcess('/proc/none');
    await record(1);
    await chain.seal();
    expect(await panel.head.keep()).toMatchObject({ severity: 'notice', problem: 'file_unusable' });
    expect(existsSync('/proc/none')).toBe(false);
  });
});

describe('a sealed head that this panel did not write', () => {
  it.each([
    ['damaged', (text: string) => text.slice(0, 40)],
    ['changed', (text: string) => text.replace('"records":10', '"records":8')],
    ['empty', () => ''],
    ['no head', () => 'null'],
  ])('is an alarm, and stays as it is: %s', async (_, change) => {
    const { panel, openProcess, record } = await sealedLog();
    const text = change(readFileSync(panel.file.path, 'utf8'));
    writeFileSync(panel.file.path, text);
    const next = openProcess();
    await record(1);
    await next.chain.seal();
    const alarm = { severity: 'alarm', problem: 'file_invalid' };
    expect(next.head.finding()).toMatchObject(alarm);
    expect(readFileSync(panel.file.path, 'utf8')).toBe(text);
    await next.accept('The disk was full.');
    expect(await openProcess().chain.verify()).toMatchObject({ ok: true, sealed_head: null });
  });
});

describe('accepting the log as it is', () => {
  it('is recorded with its reason, and ends the alarm in all processes', async () => {
    const { panel, cutAfter, openProcess, headOnDisk, db } = await sealedLog();
    await cutAfter(8);
    await panel.head.keep();
    const command = openProcess();
    expect(await command.accept('Restored the backup of Monday.')).toMatchObject({ record_id: 9 });
    expect(headOnDisk()).toMatchObject({ records: 9, record_id: 11, epoch: 1 });
    // The running process remembers a newer head, of an epoch that is over.
    expect(await panel.head.keep()).toBeNull();
    const record = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('action', '=', 'accept_head')
      .executeTakeFirstOrThrow();
    expect(record).toMatchObject({
      entity_type: 'audit_log',
      entity_id: '9',
      context: {
        reason: 'Restored the backup of Monday.',
        problem: 'records_missing',
        expected: { records: 10, record_id: 10 },
      },
    });
    expect(await panel.chain.verify()).toMatchObject({ ok: true, records: 9, sealed_head: null });
  });

  it('does nothing when there is nothing to accept', async () => {
    const { panel, headOnDisk } = await sealedLog();
    const before = headOnDisk();
    expect(await panel.accept('Just so.')).toBeNull();
    expect(headOnDisk()).toEqual(before);
  });

  it('does not accept a record that was changed', async () => {
    const { panel, tamper } = await sealedLog();
    await tamper(`UPDATE audit_log SET actor = '7' WHERE id = 9`);
    await expect(panel.accept('Please.')).rejects.toThrow(
      /record 9: .* Only missing records can be accepted/,
    );
  });
});
