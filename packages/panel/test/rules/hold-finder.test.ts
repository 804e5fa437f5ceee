import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { expect, it } from 'vitest';
import { createHoldFinder } from '../../src/features/rules/index.ts';

const SITES = 200;
const ITEMS = 20;
const panel = useTestPanel();
const NOW = new Date('2026-06-01T12:00:00Z');

/** Inserts sites and their software directly, without reports. */
async function addFleet(): Promise<number[]> {
  const { id: license } = await panel.license({ siteLimit: null });
  const { rows } = await panel.pool.query(
    `INSERT INTO sites (license_id, url, canonical_url, created_at)
     SELECT $1, 'https://s' || n || '.example', 's' || n || '.example', now()
     FROM generate_series(1, $2) n RETURNING id`,
    [license, SITES],
  );
  await panel.pool.query(
    `WITH added AS (INSERT INTO software (type, slug, name)
       SELECT 'plugin', 'p' || n || '/p.php', 'P' || n FROM generate_series(1, $1) n RETURNING id)
     INSERT INTO site_software (site_id, software_id, version, new_version, active)
     SELECT s.id, a.id, '1.' || s.id % 5, '2.0', true FROM sites s CROSS JOIN added a`,
    [ITEMS],
  );
  return rows.map(({ id }) => Number(id));
}

it('decides for all sites with a few queries, and once for sites with the same rules and versions', async () => {
  const siteIds = await addFleet();
  expect(await createHoldFinder(panel.db, siteIds, { now: NOW })).toBeNull();
  await panel.pool.query(
    `INSERT INTO update_rules (item_type, slug, aspect, level, created_at)
     VALUES ('plugin', 'p1/p.php', 'level', 'never', now())`,
  );
  await panel.pool.query(
    `INSERT INTO update_rules (site_id, aspect, level, created_at) VALUES ($1, 'level', 'all', now())`,
    [siteIds[0]],
  );
  const finder = await createHoldFinder(panel.db, siteIds, { now: NOW });
  const held = siteIds.map((id) => finder?.listHeld(id).length);
  expect([held[0], new Set(held.slice(1))]).toEqual([0, new Set([1])]);
  expect(siteIds.every((id) => finder?.listPending(id).length === ITEMS)).toBe(true);
  expect([
    finder?.concernsReportedItem(siteIds[0] ?? 0),
    finder?.concernsReportedItem(siteIds[1] ?? 0),
  ]).toEqual([false, true]);
  // Sites with the same version and the same rules share one decision.
  const [second, seventh] = [siteIds[1] ?? 0, siteIds[6] ?? 0];
  expect(finder?.listPending(second)[0]).toBe(finder?.listPending(seventh)[0]);
});
