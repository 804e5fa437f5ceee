import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

/** A run, its tasks, their jobs and the audit record are one transaction. */

// Nobody works: whatever was queued would still be there.
const scene = useRunScene({}, { works: false });

const STORED = ['runs', 'run_tasks', 'pgboss.job', 'audit_log'] as const;

async function stored() {
  const counts = await Promise.all(
    STORED.map(async (table) => {
      const { rows } = await scene.panel.pool.query(`SELECT count(*)::int AS count FROM ${table}`);
      return [table, rows[0].count] as const;
    }),
  );
  return Object.fromEntries(counts);
}

/** Until the test ends, or is told to stop, the database takes no row into that table. */
async function refuseRows(table: (typeof STORED)[number]) {
  const { asOwner } = scene.panel;
  await asOwner(`CREATE OR REPLACE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'The disk is full.'; END $$`);
  await asOwner(`CREATE TRIGGER refuse BEFORE INSERT ON ${table}
    FOR EACH ROW EXECUTE FUNCTION refuse_row()`);
  const stop = () => asOwner(`DROP TRIGGER IF EXISTS refuse ON ${table}`);
  onTestFinished(stop);
  return { stop };
}

describe.each(STORED)('when no row can be written to %s', (table) => {
  for (const [path, bodyFor] of [
    ['/remote/update', (ids: number[]) => ({ site_ids: ids })],
    ['/panel/sites/sync', (ids: number[]) => ({ site_ids: ids })],
    [
      '/remote/plugin-action',
      ([id]: number[]) => ({ site_id: id, action: 'delete', plugin: SHOP }),
    ],
  ] as const) {
    it(`POST ${path} is 500 and leaves nothing behind`, async () => {
      const sites = [await scene.newSite(), await scene.newSite()];
      const before = await stored();
      await refuseRows(table);
      const answer = await scene.owner.post(path, bodyFor(sites.map(({ id }) => id)), {
        headers: { prefer: 'respond-async' },
      });
      expect([answer.status, answer.body.code]).toEqual([500, 'internal_error']);
      expect(JSON.stringify(answer.body)).not.toContain('disk');
      expect(await stored()).toEqual(before);
      for (const { calls } of sites) expect(calls).toEqual([]);
    });
  }

  it('it is accepted as a whole when that is over', async () => {
    const sites = [await scene.newSite(), await scene.newSite()];
    const ask = { site_ids: sites.map(({ id }) => id) };
    const async = { headers: { prefer: 'respond-async' } };
    const { stop } = await refuseRows(table);
    expect((await scene.owner.post('/remote/update', ask, async)).status).toBe(500);
    await stop();
    const before = await stored();
    expect((await scene.owner.post('/remote/update', ask, async)).status).toBe(202);
    const after = await stored();
    expect(STORED.map((each) => after[each] - before[each])).toEqual([1, 2, 2, 1]);
  });
});
