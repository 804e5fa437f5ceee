import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it } from 'vitest';
import { createAuditedDatabase } from '../audit/support/audited-database.ts';

/** Creates records, sealed by a process that has stored the sealed head from the start. */
async function createSealedLog(records = 10) {
  const database = await createAuditedDatabase();
  const panel = database.openProcess();
  await panel.head.verifyAndSeal();
  await database.recordAtOnce(records);
  await panel.chain.seal();
  const headOnDisk = () => JSON.parse(readFileSync(panel.file.path, 'utf8')).head;
  return { ...database, panel, headOnDisk };
}

const MISSING = { severity: 'alarm', problem: 'records_missing' };

describe('the sealed audit head', () => {
  it('is stored in a file with mode 0600 and follows the chain', async () => {
    const { panel, record, headOnDisk, dataDir } = await createSealedLog();
    const { head } = await panel.chain.verify();
    expect(headOnDisk()).toMatchObject({ records: 10, record_id: 10, hash: head, epoch: 0 });
    expect(statSync(panel.file.path).mode & 0o777).toBe(0o600);
    await record(2);
    expect(await panel.chain.verify()).toMatchObject({ ok: true, sealed_head: null });
    expect(headOnDisk()).toMatchObject({ records: 12, record_id: 12 });
    expect(await readdir(dataDir)).toEqual(['audit-head.json']);
  });

  it('accepts records of another process with its own data directory', async () => {
    const { panel, record, openProcess, headOnDisk } = await createSealedLog();
    const other = openProcess(temporaryFolder());
    await record(3);
    await other.chain.seal();
    expect(headOnDisk()).toMatchObject({ records: 10 });
    expect(await panel.head.verifyAndSeal()).toBeNull();
    expect(headOnDisk()).toMatchObject({ records: 13 });
  });

  it('never moves back with several processes on one data directory', async () => {
    const { record, openProcess, headOnDisk } = await createSealedLog();
    const processes = Array.from({ length: 5 }, () => openProcess());
    let newest = 0;
    for (let round = 0; round < 5; round++) {
      await record(4);
      await Promise.all(processes.map(({ chain }) => chain.seal()));
      expect(headOnDisk().records).toBeGreaterThan(newest);
      newest = headOnDisk().records;
    }
    await Promise.all(processes.map(({ head }) => head.verifyAndSeal()));
    expect(headOnDisk()).toMatchObject({ records: 30 });
  });

  it('may be older than the chain after a crash', async () => {
    const { panel, chain, record } = await createSealedLog();
    await record(5);
    // Simulates a process that was killed after its commit.
    await chain.seal();
    expect(await panel.head.verifyAndSeal({ verifiesNewestAgain: true })).toBeNull();
  });

  it('has a constant size', async () => {
    const { panel } = await createSealedLog(3000);
    expect(statSync(panel.file.path).size).toBeLessThan(10_000);
  });
});

describe('deleting the newest audit rows with the triggers off', () => {
  it('is detected and names the first missing record', async () => {
    const { panel, cutAfter, openProcess } = await createSealedLog();
    await cutAfter(8);
    expect(await panel.chain.verify()).toMatchObject({
      ok: false,
      broken: null,
      sealed_head: {
        ...MISSING,
        record_id: 9,
        message: expect.stringMatching(/after record 8 .*First missing: record 9 /),
      },
    });
    // A process that starts later detects it too.
    expect(await openProcess().head.verifyAndSeal()).toMatchObject({ ...MISSING, record_id: 9 });
  });

  it('is detected if all rows are missing', async () => {
    const { panel, cutAfter } = await createSealedLog();
    await cutAfter(0);
    expect(await panel.head.verifyAndSeal()).toMatchObject({ ...MISSING, record_id: 1 });
  });

  it('is detected if only the rows are missing and their links remain', async () => {
    const { panel, tamper } = await createSealedLog();
    await tamper('DELETE FROM audit_log WHERE id > 8');
    expect(await panel.head.verifyAndSeal({ verifiesNewestAgain: true })).toMatchObject({
      severity: 'alarm',
      problem: 'chain_broken',
      record_id: 9,
    });
  });

  it('stays detected when the log grows beyond its former length', async () => {
    const { panel, cutAfter, record, chain, headOnDisk } = await createSealedLog();
    await cutAfter(8);
    await record(20);
    await chain.seal();
    const before = headOnDisk();
    expect(await panel.head.verifyAndSeal()).toMatchObject({ ...MISSING, record_id: 9 });
    expect(headOnDisk()).toEqual(before);
    expect(panel.head.getFinding()).toMatchObject(MISSING);
  });

  it('is located as closely as possible if more records are missing than the head lists', async () => {
    const { panel, cutAfter, recordAtOnce, chain } = await createSealedLog(400);
    await cutAfter(150);
    const expected = {
      ...MISSING,
      message: expect.stringMatching(/after record 150 .*position 151/),
    };
    expect(await panel.head.verifyAndSeal()).toMatchObject(expected);
    await recordAtOnce(300);
    await chain.seal();
    expect(await panel.head.verifyAndSeal()).toMatchObject(expected);
  });

  it('is detected by a running process even if the file was removed or replaced by an older one', async () => {
    const { panel, record, cutAfter } = await createSealedLog();
    const former = readFileSync(panel.file.path);
    await record(5);
    await panel.chain.seal();
    await cutAfter(10);
    writeFileSync(panel.file.path, former);
    expect(await panel.head.verifyAndSeal()).toMatchObject({ ...MISSING, record_id: 11 });
    rmSync(panel.file.path);
    expect(await panel.head.verifyAndSeal()).toMatchObject({ ...MISSING, record_id: 11 });
  });
});

describe('without a sealed head', () => {
  it('reports nothing for an empty log or one from before heads were sealed', async () => {
    const { openProcess, record, chain } = await createAuditedDatabase();
    expect(await openProcess(temporaryFolder()).head.verifyAndSeal()).toBeNull();
    await record(3);
    await chain.seal();
    expect(await openProcess(temporaryFolder()).head.verifyAndSeal({ isFirst: true })).toBeNull();
  });

  it('reports the missing file, starts a new one, and repeats the notice until it is accepted', async () => {
    const { panel, openProcess, headOnDisk } = await createSealedLog();
    rmSync(panel.file.path);
    const notice = { severity: 'notice', problem: 'file_missing' };
    expect(await openProcess().chain.verify()).toMatchObject({ ok: true, sealed_head: notice });
    expect(headOnDisk()).toMatchObject({ records: 10 });
    const next = openProcess();
    expect(await next.head.verifyAndSeal()).toMatchObject(notice);
    expect(await next.accept('It was a new machine.')).toMatchObject(notice);
    expect(await openProcess().head.verifyAndSeal()).toBeNull();
  });

  it('continues and reports a notice if the directory is not writable', async () => {
    const { openProcess, chain, record } = await createAuditedDatabase();
    const panel = openProcess('/proc/none');
    await record(1);
    await chain.seal();
    expect(await panel.head.verifyAndSeal()).toMatchObject({
      severity: 'notice',
      problem: 'file_unusable',
    });
    expect(existsSync('/proc/none')).toBe(false);
  });
});

describe('an invalid sealed head', () => {
  it.each([
    ['damaged', (text: string) => text.slice(0, 40)],
    ['changed', (text: string) => text.replace('"records":10', '"records":8')],
    ['empty', () => ''],
    ['no head', () => 'null'],
  ])('raises an alarm and stays unchanged: %s', async (_, change) => {
    const { panel, openProcess, record } = await createSealedLog();
    const text = change(readFileSync(panel.file.path, 'utf8'));
    writeFileSync(panel.file.path, text);
    const next = openProcess();
    await record(1);
    await next.chain.seal();
    const alarm = { severity: 'alarm', problem: 'file_invalid' };
    expect(next.head.getFinding()).toMatchObject(alarm);
    expect(readFileSync(panel.file.path, 'utf8')).toBe(text);
    await next.accept('The disk was full.');
    expect(await openProcess().chain.verify()).toMatchObject({ ok: true, sealed_head: null });
  });
});

describe('accept-head', () => {
  it('records its reason and ends the alarm in all processes', async () => {
    const { panel, cutAfter, openProcess, headOnDisk, db } = await createSealedLog();
    await cutAfter(8);
    await panel.head.verifyAndSeal();
    const command = openProcess();
    expect(await command.accept('Restored the backup of Monday.')).toMatchObject({ record_id: 9 });
    expect(headOnDisk()).toMatchObject({ records: 9, record_id: 11, epoch: 1 });
    // The running process remembers a newer head of the previous epoch.
    expect(await panel.head.verifyAndSeal()).toBeNull();
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

  it('does nothing without a finding', async () => {
    const { panel, headOnDisk } = await createSealedLog();
    const before = headOnDisk();
    expect(await panel.accept('Just so.')).toBeNull();
    expect(headOnDisk()).toEqual(before);
  });

  it('does not accept a changed record', async () => {
    const { panel, tamper } = await createSealedLog();
    await tamper(`UPDATE audit_log SET actor = '7' WHERE id = 9`);
    await expect(panel.accept('Please.')).rejects.toThrow(
      /record 9: .* A broken hash chain cannot be accepted/,
    );
  });
});
