import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expectFailure } from '@steward/testkit/panel/use-command-line.ts';
import { describe, expect, it } from 'vitest';
import { createAuditedPanel } from '../audit/support/audited-panel.ts';

describe('npx steward audit verify', () => {
  it('prints the number of records and the head', async () => {
    const { steward, verify, record } = await createAuditedPanel();
    await record(3);
    const proof = await verify();
    expect(proof).toMatchObject({ code: 0, ok: true, records: 3, broken: null, unguarded: [] });
    expect(proof.head).toMatch(/^[0-9a-f]{64}$/);
    const { code, stdout, stderr } = await steward('audit', 'verify');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      `Audit log verified: 3 records, no problems.\nHead (store it outside the panel): ${proof.head}\n`,
    );
  });

  it('does not report "no problems" if there is a notice', async () => {
    const { steward, verify, record, dataDir } = await createAuditedPanel();
    await record(3);
    const { head } = await verify();
    await rm(join(dataDir, 'audit-head.json'));
    const { code, stdout } = await steward('audit', 'verify');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'Audit log partly verified: 3 records are intact, but Steward may not detect removed records.',
      expect.stringMatching(/^The sealed audit head in .* was missing/),
      `Head (store it outside the panel): ${head}`,
      '',
    ]);
  });

  it('accepts an empty log', async () => {
    const { verify } = await createAuditedPanel();
    expect(await verify()).toMatchObject({ code: 0, ok: true, records: 0, head: null });
  });

  it('prints the first broken record and exits with 1', async () => {
    const { steward, verify, record, tamper } = await createAuditedPanel();
    await record(3);
    await verify();
    await tamper(`UPDATE audit_log SET actor = '7' WHERE id = 2`);
    expectFailure(
      await steward('audit', 'verify'),
      /failed at record 2: .* changed after it was sealed/,
    );
    expect(await verify()).toMatchObject({
      code: 1,
      ok: false,
      records: 1,
      broken: { record_id: 2, seq: 2, problem: 'record_changed' },
    });
  });

  it('exits with 1 when the triggers are disabled or the newest records were removed', async () => {
    const { steward, verify, record, tamper, executeAsTableOwner } = await createAuditedPanel();
    await record(3);
    const { head } = await verify();
    expect(await verify('--expect-head', head.toUpperCase())).toMatchObject({ code: 0 });
    await tamper('DELETE FROM audit_chain WHERE seq = 3', 'DELETE FROM audit_log WHERE id = 3');
    expect(await verify('--expect-head', head)).toMatchObject({ code: 1, ok: false });
    await executeAsTableOwner('ALTER TABLE audit_chain DISABLE TRIGGER USER');
    expectFailure(
      await steward('audit', 'verify', '--expect-head', head),
      /not in the hash chain.*disabled or missing on these tables: audit_chain\..*restore them: docs/,
    );
    expectFailure(await steward('audit', 'verify', '--expect-head', 'abc'), /64 characters/);
    expectFailure(await steward('audit', 'verify-export', '/none.jsonl'), /\/none\.jsonl does not/);
  });
});

describe('npx steward audit accept-head', () => {
  it('clears the alarm after a restore and records the reason', async () => {
    const { steward, verify, record, cutAfter } = await createAuditedPanel();
    await verify();
    await record(5);
    expect(await verify()).toMatchObject({ code: 0, records: 5, sealed_head: null });
    await cutAfter(3);
    expectFailure(
      await steward('audit', 'verify'),
      /First missing: record 4 .*accept-head --reason/,
    );
    expect(await verify()).toMatchObject({
      code: 1,
      ok: false,
      broken: null,
      sealed_head: { severity: 'alarm', problem: 'records_missing', record_id: 4 },
    });
    expectFailure(await steward('audit', 'accept-head'), /--reason/);
    expectFailure(await steward('audit', 'accept-head', '--reason', ' '), /1 to 500 characters/);
    const { code, stdout } = await steward('audit', 'accept-head', '--reason', 'Restored Monday.');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Accepted.*\n.*First missing: record 4 /),
    ]);
    expect(await verify()).toMatchObject({ code: 0, records: 4, sealed_head: null });
    const listed = await steward('audit', 'list', '--action', 'accept_head', '--json');
    expect(JSON.parse(listed.stdout).records).toMatchObject([
      { actor: 'system', context: { reason: 'Restored Monday.', via: 'command_line' } },
    ]);
    const again = await steward('audit', 'accept-head', '--reason', 'Again.', '--json');
    expect(JSON.parse(again.stdout)).toEqual({ accepted: null });
  });
});

describe('npx steward audit list', () => {
  it('lists records newest first, with filters and pages', async () => {
    const { steward, record } = await createAuditedPanel();
    await record(3);
    const list = async (...args: string[]) =>
      JSON.parse((await steward('audit', 'list', '--json', ...args)).stdout);
    const first = await list('--entity-type', 'license', '--limit', '2', '--from', '2026-06-01');
    expect(first).toMatchObject({ records: [{ entity_id: '3' }, { entity_id: '2' }] });
    expect(await list('--before', String(first.next_before))).toMatchObject({
      records: [{ entity_id: '1', action: 'set_limit' }],
      next_before: null,
    });
    expect(await list('--to', '2026-06-01')).toEqual({ records: [], next_before: null });
    expect((await steward('audit', 'list', '--site', '5')).stdout).toContain('No matching records');
    const { stdout } = await steward('audit', 'list', '--limit', '1');
    expect(stdout).toMatch(
      /^ID +AT +ACTOR.*\n3 +2026-06-01T12:00:00.000Z +system +set_limit +license 3\nFor older records, add --before 3\.\n$/,
    );
  });

  it('continues a search that found nothing in the newest records', async () => {
    const { steward, record, tamper } = await createAuditedPanel();
    await record(1);
    await tamper(
      `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, context)
       SELECT now(), 'system', 'set_limit', 'license', '1', '{}' FROM generate_series(1, 20001)`,
    );
    const { stdout } = await steward('audit', 'list', '--text', 'no record has this text');
    expect(stdout).toMatch(
      /^No matches among the records searched so far\. To search older records, add --before \d+\.\n$/,
    );
  });

  it('refuses invalid numbers and dates', async () => {
    const { steward } = await createAuditedPanel();
    expectFailure(await steward('audit', 'list', '--limit', '501'), /from 1 to 500/);
    expectFailure(await steward('audit', 'list', '--site', 'x'), /whole number/);
    expectFailure(await steward('audit', 'list', '--from', '2026-02-30'), /a date \(2027-01-31\)/);
    expectFailure(await steward('audit', 'list', '--before', '99'), /record 99 does not exist/);
  });
});
