import type { openPanel } from '@steward/panel/program';

type Pool = Awaited<ReturnType<typeof openPanel>>['connection']['pool'];

/** Rules for all sites, for a tag and for single sites, and two versions in quarantine that many sites offer. */
export async function addHolds(pool: Pool): Promise<void> {
  await pool.query('DELETE FROM update_rules');
  await pool.query('DELETE FROM quarantined_versions');
  await pool.query(
    "UPDATE license_activations SET capabilities = '{update.items}' WHERE site_id % 20 <> 0",
  );
  await pool.query(`
    INSERT INTO update_rules (tag_id, site_id, item_type, slug, aspect, level, days, created_at)
    VALUES (NULL, NULL, 'plugin', NULL, 'wait', NULL, 3, now()),
      (NULL, NULL, 'core', 'core', 'level', 'patch', NULL, now()),
      ((SELECT id FROM tags WHERE name = 'care plan'), NULL, 'plugin', NULL, 'level', 'minor', NULL, now())`);
  await pool.query(`
    INSERT INTO update_rules (site_id, aspect, level, created_at)
    SELECT id, 'level', 'never', now() FROM sites WHERE id % 200 = 0 LIMIT 50`);
  await pool.query(`
    INSERT INTO quarantined_versions (item_type, slug, name, version, reason, created_at)
    SELECT s.type, s.slug, s.name, i.new_version, 'White screen.', now()
    FROM site_software i JOIN software s ON s.id = i.software_id
    WHERE i.new_version IS NOT NULL AND s.type = 'plugin'
    GROUP BY s.type, s.slug, s.name, i.new_version ORDER BY count(*) DESC LIMIT 2`);
  await pool.query('ANALYZE update_rules, quarantined_versions, license_activations');
}

/** A rollout of all sites in three rings. The first two rings have ended, and the third is half done. */
export async function addRollout(pool: Pool): Promise<number> {
  const items = JSON.stringify([{ type: 'plugin', slug: 'shop/shop.php', version: '2.0' }]);
  const settings = JSON.stringify({
    soak_minutes: 60,
    first_ring_max_troubled: 0,
    later_max_troubled_percent: 2,
  });
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO rollouts (name, items, settings, origin, status, ring, created_at)
     VALUES ('Shop 2.0', $1, $2, '{}', 'running', 2, now()) RETURNING id`,
    [items, settings],
  );
  const id = rows[0]?.id ?? 0;
  await pool.query(
    `INSERT INTO rollout_sites (rollout_id, site_id, ring)
     SELECT $1, id, CASE WHEN id % 20 = 0 THEN 0 WHEN id % 10 = 1 THEN 1 ELSE 2 END FROM sites`,
    [id],
  );
  for (const ring of [0, 1, 2]) {
    await pool.query(
      `WITH run AS (
         INSERT INTO runs (kind, request, origin, rollout_id, ring, total, open_tasks, created_at)
         SELECT 'update', '{}', '{}', $1::bigint, $2::integer, count(*), 0, now() FROM rollout_sites
         WHERE rollout_id = $1 AND ring = $2 RETURNING id
       ), task AS (
         INSERT INTO run_tasks (run_id, site_id, position, site_url, items, status, details, finished_at)
         SELECT run.id, rs.site_id, rs.site_id, 'https://example.com', $3::jsonb,
           CASE WHEN rs.site_id % 50 = 7 THEN 'failed' ELSE 'succeeded' END,
           jsonb_build_object('success', rs.site_id % 50 <> 7, 'errors', '[]'::jsonb, 'results',
             jsonb_build_object('plugins', jsonb_build_array(jsonb_build_object('slug', 'shop/shop.php',
               'new_version', '2.0', 'success', rs.site_id % 50 <> 7)), 'themes', '[]'::jsonb, 'core', NULL)),
           now()
         FROM run, rollout_sites rs
         WHERE rs.rollout_id = $1 AND rs.ring = $2 AND (rs.ring < 2 OR rs.site_id % 2 = 0)
       )
       INSERT INTO rollout_rings (rollout_id, position, name, sites, run_id)
       SELECT $1, $2, 'Ring ' || $2::integer, (SELECT count(*) FROM rollout_sites
         WHERE rollout_id = $1 AND ring = $2), run.id FROM run`,
      [id, ring, items],
    );
  }
  await pool.query('ANALYZE rollout_sites, run_tasks, runs');
  return id;
}
