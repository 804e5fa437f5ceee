import type { ActivationStatus, Environment, StoredLicenseStatus } from '@steward/contract';
import type pg from 'pg';

/** What one site reports when it checks in. Hashes are in hex. */
export type CheckIn = {
  key_hash: string;
  canonical_url: string;
  token_hash: string | null;
  cms_version: string;
  php_version: string;
  plugin_version: string;
  environment: Environment | null;
};

/** How the license of a check-in stands; `site_id` and what follows are null for an unknown site. */
export type CheckedIn = {
  position: number;
  plan_name: string;
  plan_slug: string;
  services: string[];
  site_limit: number | null;
  license_status: StoredLicenseStatus;
  expires_at: Date | null;
  counted_sites: number;
  uncounted_sites: number;
  site_id: number | null;
  site_url: string;
  activation_status: ActivationStatus;
  counted: boolean;
  activated_at: Date;
  last_check_at: Date | null;
  token_matches: boolean;
};

/**
 * Any number of check-ins in one statement: the time and the versions are written wherever the
 * token does not forbid it, and everything the answers need is read. The license row is not locked.
 * The activations are, in the order of their ids: two batches that overlap must not deadlock.
 */
const CHECK_IN = `
  WITH input AS (
    SELECT * FROM json_to_recordset($1::json) AS i(
      position int, key_hash text, canonical_url text, token_hash text,
      cms_version text, php_version text, plugin_version text, environment text)
  ), found AS MATERIALIZED (
    SELECT i.*, l.id AS license_id, l.site_limit, l.status AS license_status, l.expires_at,
           coalesce(l.services, p.services) AS services, p.name AS plan_name, p.slug AS plan_slug,
           s.id AS site_id, s.url AS site_url
    FROM input i
    JOIN licenses l ON l.key_hash = decode(i.key_hash, 'hex')
    JOIN plans p ON p.id = l.plan_id
    LEFT JOIN sites s ON s.license_id = l.id AND s.canonical_url = i.canonical_url
  ), locked AS MATERIALIZED (
    SELECT a.site_id
    FROM license_activations a
    WHERE a.site_id IN (SELECT site_id FROM found)
    ORDER BY a.site_id
    FOR NO KEY UPDATE
  ), written AS (
    UPDATE license_activations a
    SET last_check_at = $2, cms_version = f.cms_version, php_version = f.php_version,
        plugin_version = f.plugin_version, environment = coalesce(f.environment, a.environment)
    FROM found f JOIN locked USING (site_id)
    WHERE a.site_id = f.site_id
      AND (f.token_hash IS NULL OR a.token_hash = decode(f.token_hash, 'hex'))
    RETURNING a.site_id, a.status, a.counted, a.activated_at, a.last_check_at
  ), usage AS (
    SELECT license_id,
           count(*) FILTER (WHERE counted) AS counted_sites,
           count(*) FILTER (WHERE NOT counted) AS uncounted_sites
    FROM license_activations
    WHERE status = 'active' AND license_id IN (SELECT license_id FROM found)
    GROUP BY license_id
  )
  SELECT f.position, f.plan_name, f.plan_slug, f.services, f.site_limit, f.license_status,
         f.expires_at, coalesce(u.counted_sites, 0) AS counted_sites,
         coalesce(u.uncounted_sites, 0) AS uncounted_sites, a.site_id, f.site_url,
         coalesce(w.status, a.status) AS activation_status, a.counted,
         coalesce(w.activated_at, a.activated_at) AS activated_at,
         coalesce(w.last_check_at, a.last_check_at) AS last_check_at,
         w.site_id IS NOT NULL AS token_matches
  FROM found f
  LEFT JOIN license_activations a ON a.site_id = f.site_id
  LEFT JOIN written w ON w.site_id = f.site_id
  LEFT JOIN usage u ON u.license_id = f.license_id`;

/** Gives a result for each check-in, in order; undefined where the key is unknown. */
export async function recordCheckIns(
  pool: pg.Pool,
  checkIns: CheckIn[],
  now: Date,
): Promise<(CheckedIn | undefined)[]> {
  const input = checkIns.map((checkIn, position) => ({ position, ...checkIn }));
  const { rows } = await pool.query<CheckedIn>({
    name: 'record-check-ins',
    text: CHECK_IN,
    values: [JSON.stringify(input), now],
  });
  const results = new Array<CheckedIn | undefined>(checkIns.length);
  for (const row of rows) results[row.position] = row;
  return results;
}
