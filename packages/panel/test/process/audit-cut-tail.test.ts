import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { describe, expect, it } from 'vitest';
import { createAuditedDatabase } from '../audit/support/audited-database.ts';

/** Creates a panel with audit records and an owner who reads the overview. */
async function createPanelWithHistory() {
  const database = await usePanelDatabase();
  const owner = await database.newUser();
  const { cutAfter } = await createAuditedDatabase(database);
  const start = async () => {
    const panel = await startPanel(database.env);
    const { get } = await signInAt(panel.url, owner);
    const warning = async () => (await get('/panel/overview')).body.overview.audit_warning;
    return { ...panel, warning };
  };
  const lastId = async () =>
    (await database.pool.query('SELECT max(record_id) AS id FROM audit_chain')).rows[0]
      .id as number;
  const lastRecord = async () =>
    (await database.pool.query('SELECT max(id) AS id FROM audit_log')).rows[0].id as number;
  const sealedRecord = async () => {
    const file = await readFile(join(database.dataDir, 'audit-head.json'), 'utf8');
    return JSON.parse(file).head.record_id as number;
  };
  const verify = async () => {
    const { code, stdout } = await steward(['audit', 'verify', '--json'], database.env);
    return { code, ...JSON.parse(stdout) };
  };
  return { ...database, start, cutAfter, lastId, lastRecord, sealedRecord, verify };
}

describe('deleting the newest audit rows with triggers off', () => {
  it('is reported at the next start: in the log, on the overview and by audit verify', async () => {
    const { start, cutAfter, lastId, verify, newLicense, env } = await createPanelWithHistory();
    const first = await start();
    expect(await first.warning()).toBeNull();
    expect(await first.end('SIGTERM')).toBe(0);
    const newest = await lastId();
    expect(await verify()).toMatchObject({ code: 0, ok: true });

    await cutAfter(newest - 1);
    const second = await start();
    expect(second.output.stderr).toMatch(
      new RegExp(`"level":"error".*First missing: record ${newest} `),
    );
    expect(await second.warning()).toMatchObject({ severity: 'alarm', record_id: newest });
    expect(await verify()).toMatchObject({ code: 1, sealed_head: { record_id: newest } });

    const accepted = await steward(['audit', 'accept-head', '--reason', 'Restored.'], env);
    expect(accepted.code).toBe(0);
    expect(await verify()).toMatchObject({ code: 0, ok: true });
    // The running panel checks again when it seals the next record.
    await newLicense();
    await expect.poll(() => second.warning()).toBeNull();
  });

  it('is reported by the running panel when it seals the next record', async () => {
    const { start, cutAfter, lastRecord, sealedRecord, newLicense } =
      await createPanelWithHistory();
    const panel = await start();
    // The sign-in is the newest record and part of the sealed head.
    const newest = await lastRecord();
    await expect.poll(sealedRecord).toBe(newest);
    await cutAfter(newest - 1);
    await newLicense();
    await expect
      .poll(() => panel.warning())
      .toMatchObject({ severity: 'alarm', record_id: newest });
  });
});
