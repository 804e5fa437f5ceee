import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward as runSteward } from '@steward/testkit/panel/steward-command.ts';
import { newSiteUrl, TEST_SECRET, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { expectFailure } from '@steward/testkit/panel/use-command-line.ts';
import { describe, expect, it } from 'vitest';
import { createAuditedDatabase } from '../audit/support/audited-database.ts';

async function auditedPanel() {
  const database = await createAuditedDatabase();
  const env = { DATABASE_URL: database.url, SECRET_KEY: TEST_SECRET };
  const steward = (...args: string[]) => runSteward(args, env);
  const verify = async (...args: string[]) => {
    const { code, stdout, stderr } = await steward('audit', 'verify', '--json', ...args);
    expect(stderr).toBe('');
    return { code, ...JSON.parse(stdout) };
  };
  /** A license for as many sites as come, and what a site sends to activate it. */
  const siteRequests = async () => {
    const args = ['license', 'create', '--plan', 'Pro', '--site-limit', 'unlimited', '--json'];
    const { license_key } = JSON.parse((await steward(...args)).stdout);
    return () => ({ license_key, site_url: newSiteUrl(), ...VERSIONS });
  };
  return { ...database, env, steward, verify, siteRequests };
}

describe('npx steward audit verify', () => {
  it('says how many records there are and what the head is', async () => {
    const { steward, verify, record } = await auditedPanel();
    await record(3);
    const proof = await verify();
    expect(proof).toMatchObject({ code: 0, ok: true, records: 3, broken: null, unguarded: [] });
    expect(proof.head).toMatch(/^[0-9a-f]{64}$/);
    const { code, stdout, stderr } = await steward('audit', 'verify');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      `The audit log is in order: 3 records.\nIts head, to keep elsewhere: ${proof.head}\n`,
    );
  });

  it('takes an empty log for one that is in order', async () => {
    const { verify } = await auditedPanel();
    expect(await verify()).toMatchObject({ code: 0, ok: true, records: 0, head: null });
  });

  it('names the first broken record and ends with 1', async () => {
    const { steward, verify, record, tamper } = await auditedPanel();
    await record(3);
    await verify();
    await tamper(`UPDATE audit_log SET actor = '7' WHERE id = 2`);
    expectFailure(await steward('audit', 'verify'), /Record 2 .* changed after it was sealed/);
    expect(await verify()).toMatchObject({
      code: 1,
      ok: false,
      records: 1,
      broken: { record_id: 2, seq: 2, problem: 'record_changed' },
    });
  });

  it('ends with 1 when the triggers are off, or the end was cut off', async () => {
    const { steward, verify, record, tamper, pool } = await auditedPanel();
    await record(3);
    const { head } = await verify();
    expect(await verify('--expect-head', head.toUpperCase())).toMatchObject({ code: 0 });
    await tamper('DELETE FROM audit_chain WHERE seq = 3', 'DELETE FROM audit_log WHERE id = 3');
    expect(await verify('--expect-head', head)).toMatchObject({ code: 1, ok: false });
    await pool.query('ALTER TABLE audit_chain DISABLE TRIGGER USER');
    expectFailure(
      await steward('audit', 'verify', '--expect-head', head),
      /not in the chain.*switched off or gone: audit_chain/,
    );
    expectFailure(await steward('audit', 'verify', '--expect-head', 'abc'), /64 characters/);
  });
});

describe('npx steward audit list', () => {
  it('lists the newest first, by any filter, page after page', async () => {
    const { steward, record } = await auditedPanel();
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
    expect((await steward('audit', 'list', '--site', '5')).stdout).toContain('no such records');
    const { stdout } = await steward('audit', 'list', '--limit', '1');
    expect(stdout).toMatch(
      /^ID +AT +ACTOR.*\n3 +2026-06-01T12:00:00.000Z +system +set_limit +license 3\nGo on with --before 3\.\n$/,
    );
  });

  it('refuses what is no number and no day', async () => {
    const { steward } = await auditedPanel();
    expectFailure(await steward('audit', 'list', '--limit', '501'), /from 1 to 500/);
    expectFailure(await steward('audit', 'list', '--site', 'x'), /whole number/);
    expectFailure(await steward('audit', 'list', '--from', '2026-02-30'), /a day \(2027-01-31\)/);
    expectFailure(await steward('audit', 'list', '--before', '99'), /no record 99/);
  });
});

describe('the chain, over several processes', () => {
  it('holds what two panels and a command record at the same time', async () => {
    const { env, siteRequests, steward, verify, sealed } = await auditedPanel();
    const nextSite = await siteRequests();
    const panels = await Promise.all([startPanel(env), startPanel(env)]);
    const activate = async (index: number) => {
      const panel = panels[index % 2];
      const answer = await panel?.post('/api/v1/license/activate', nextSite());
      expect(answer?.status).toBe(200);
    };
    await Promise.all([
      ...Array.from({ length: 100 }, (_, index) => activate(index)),
      steward('plan', 'create', '--name', 'Other', '--site-limit', '1'),
    ]);
    // By the panels, while they run; each has also recorded the set-up link that it made.
    await expect.poll(async () => (await sealed()).length, { timeout: 20_000 }).toBe(105);
    for (const panel of panels) expect(await panel.end('SIGTERM')).toBe(0);
    expect(await verify()).toMatchObject({ code: 0, records: 105 });
  });

  it('holds what a panel recorded right before it was killed', async () => {
    const { env, siteRequests, verify } = await auditedPanel();
    const nextSite = await siteRequests();
    const panel = await startPanel(env);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => panel.post('/api/v1/license/activate', nextSite())),
    );
    await panel.end('SIGKILL');
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await verify()).toMatchObject({ code: 0, records: 13 });
  });

  it('is complete when a panel was stopped in order', async () => {
    const { env, siteRequests, sealed } = await auditedPanel();
    const nextSite = await siteRequests();
    const panel = await startPanel(env);
    await panel.post('/api/v1/license/activate', nextSite());
    expect(await panel.end('SIGTERM')).toBe(0);
    expect(await sealed()).toHaveLength(4);
  });
});
