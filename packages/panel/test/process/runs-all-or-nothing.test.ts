import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

/** A run, its tasks, their jobs and the audit record are created in one transaction. */

// Without a worker, queued tasks stay queued.
const fixture = useRunFixture({}, { startsWorker: false });

const TABLES = ['runs', 'run_tasks', 'pgboss.job', 'audit_log'] as const;

async function countRows() {
  const counts = await Promise.all(
    TABLES.map(async (table) => {
      // Sites and the panel itself may write audit records meanwhile.
      const ofUsers = table === 'audit_log' ? "WHERE actor <> 'system'" : '';
      const { rows } = await fixture.panel.pool.query(
        `SELECT count(*)::int AS count FROM ${table} ${ofUsers}`,
      );
      return [table, rows[0].count] as const;
    }),
  );
  return Object.fromEntries(counts);
}

/** Makes every insert into the table fail until `stop` or the end of the test. */
async function rejectInserts(table: (typeof TABLES)[number]) {
  const { executeAsTableOwner } = fixture.panel;
  await executeAsTableOwner(`CREATE OR REPLACE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'The disk is full.'; END $$`);
  await executeAsTableOwner(`CREATE TRIGGER refuse BEFORE INSERT ON ${table}
    FOR EACH ROW EXECUTE FUNCTION refuse_row()`);
  const stop = () => executeAsTableOwner(`DROP TRIGGER IF EXISTS refuse ON ${table}`);
  onTestFinished(stop);
  return { stop };
}

describe.each(TABLES)('if inserts into %s fail', (table) => {
  for (const [path, bodyFor] of [
    ['/remote/update', (ids: number[]) => ({ site_ids: ids })],
    ['/panel/sites/sync', (ids: number[]) => ({ site_ids: ids })],
    [
      '/remote/plugin-action',
      ([id]: number[]) => ({ site_id: id, action: 'delete', plugin: SHOP }),
    ],
  ] as const) {
    it(`POST ${path} responds 500 and stores nothing`, async () => {
      const sites = [await fixture.newSite(), await fixture.newSite()];
      const before = await countRows();
      await rejectInserts(table);
      const response = await fixture.owner.post(path, bodyFor(sites.map(({ id }) => id)), {
        headers: { prefer: 'respond-async' },
      });
      expect([response.status, response.body.code]).toEqual([500, 'internal_error']);
      expect(JSON.stringify(response.body)).not.toContain('disk');
      expect(await countRows()).toEqual(before);
      for (const { calls } of sites) expect(calls).toEqual([]);
    });
  }

  it('a run is created completely once inserts work again', async () => {
    const sites = [await fixture.newSite(), await fixture.newSite()];
    const request = { site_ids: sites.map(({ id }) => id) };
    const async = { headers: { prefer: 'respond-async' } };
    const { stop } = await rejectInserts(table);
    expect((await fixture.owner.post('/remote/update', request, async)).status).toBe(500);
    await stop();
    const before = await countRows();
    expect((await fixture.owner.post('/remote/update', request, async)).status).toBe(202);
    const after = await countRows();
    expect(TABLES.map((each) => after[each] - before[each])).toEqual([1, 2, 2, 1]);
  });
});
