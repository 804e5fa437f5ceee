import type { ActivationStatus, Environment, StoredLicenseStatus } from '@steward/contract';
import type pg from 'pg';

/** Hashes are in hex. */
export type CheckIn = {
  key_hash: string;
  is_site_key: boolean;
  canonical_url: string;
  token_hash: string | null;
  cms_version: string;
  php_version: string;
  plugin_version: string;
  environment: Environment | null;
};

/**
 * The license and activation of a check-in. If the license has no site at this address, `site_id` is null and the other
 * fields of the site must not be used.
 */
export type CheckInRow = {
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
  /** False if the site must use another key: its site key, or the new license key. */
  is_key_accepted: boolean;
  /** The site used the old license key before and now uses the new one. */
  has_switched_key: boolean;
};

/** The database returns all rows as one JSON document, which takes a fifth of the time of separate rows. */
type CheckInJson = Omit<CheckInRow, 'expires_at' | 'activated_at' | 'last_check_at'> & {
  expires_at: string | null;
  activated_at: string;
};

/** Lists only the columns that the statement uses: PostgreSQL copies them for every check-in. */
const LICENSE_COLUMNS =
  'l.id, l.plan_id, l.site_limit, l.status, l.expires_at, l.services, l.counted_sites, l.uncounted_sites';

/**
 * Records a batch of check-ins in one statement and reads everything the responses need. A check-in with a wrong token
 * or a key that is not accepted changes nothing. The statement locks activations by ascending id, so that overlapping
 * batches cannot deadlock. It does not lock licenses. LATERAL with LIMIT 1 forces the planner to use the unique index
 * for each lookup.
 */
const CHECK_IN = `
  WITH commit_setting AS MATERIALIZED (
    -- Valid until the end of the transaction, which is this statement: docs/decisions/0036-check-in-commits.md.
    SELECT set_config('synchronous_commit', 'off', true) AS value
  ), input AS (
    SELECT * FROM json_to_recordset($1::json) AS i(
      position int, key_hash text, is_site_key boolean, canonical_url text, token_hash text,
      cms_version text, php_version text, plugin_version text, environment text)
  ), found AS MATERIALIZED (
    SELECT i.*, l.id AS license_id, l.site_limit, l.status AS license_status, l.expires_at,
           l.counted_sites, l.uncounted_sites, coalesce(l.services, p.services) AS services, p.name AS plan_name, p.slug AS plan_slug,
           s.id AS site_id, s.url AS site_url, l.is_old_key
    FROM input i
    CROSS JOIN LATERAL (
      SELECT ${LICENSE_COLUMNS}, NULL::bigint AS site_of_key, false AS is_old_key FROM licenses l
      WHERE NOT i.is_site_key AND l.key_hash = decode(i.key_hash, 'hex')
      UNION ALL
      SELECT ${LICENSE_COLUMNS}, a.site_id, false
      FROM license_activations a JOIN licenses l ON l.id = a.license_id
      WHERE i.is_site_key AND a.site_key_hash = decode(i.key_hash, 'hex')
      UNION ALL
      SELECT ${LICENSE_COLUMNS}, NULL, true FROM licenses l
      WHERE NOT i.is_site_key AND l.old_key_hash = decode(i.key_hash, 'hex')
        AND l.old_key_ends_at > $2
      LIMIT 1
    ) l
    JOIN plans p ON p.id = l.plan_id
    LEFT JOIN LATERAL (
      SELECT id, url FROM sites WHERE license_id = l.id AND canonical_url = i.canonical_url LIMIT 1
    ) s ON true
    -- A site key is valid for its own site only.
    WHERE NOT i.is_site_key OR l.site_of_key = s.id
  ), locked AS MATERIALIZED (
    SELECT a.*, f.is_site_key OR a.status <> 'active' OR a.site_key_hash IS NULL
        AND (NOT f.is_old_key OR coalesce(a.key_ends_at > $2, false)) AS is_key_accepted,
      a.key_ends_at IS NOT NULL AND NOT f.is_old_key AND NOT f.is_site_key AS has_switched_key
    FROM (SELECT site_id, is_site_key, is_old_key FROM found WHERE site_id IS NOT NULL ORDER BY site_id) f
    CROSS JOIN LATERAL (
      SELECT site_id, status, counted, token_hash, site_key_hash, key_ends_at, activated_at
      FROM license_activations
      WHERE site_id = f.site_id
      FOR NO KEY UPDATE
    ) a
  ), written AS (
    UPDATE license_activations a
    SET last_check_at = $2, cms_version = f.cms_version, php_version = f.php_version,
        plugin_version = f.plugin_version, environment = coalesce(f.environment, a.environment)
    FROM found f JOIN locked o USING (site_id)
    WHERE a.site_id = f.site_id AND o.is_key_accepted
      AND (f.token_hash IS NULL OR o.token_hash = decode(f.token_hash, 'hex'))
    RETURNING a.site_id
  )
  SELECT coalesce(json_agg(result), '[]') AS results, (SELECT value FROM commit_setting) AS commit_setting FROM (
  SELECT f.position, f.plan_name, f.plan_slug, f.services, f.site_limit, f.license_status,
         f.expires_at, f.counted_sites, f.uncounted_sites, o.site_id, f.site_url,
         o.status AS activation_status, o.counted, o.activated_at,
         w.site_id IS NOT NULL AS token_matches, coalesce(o.is_key_accepted, true) AS is_key_accepted,
         o.has_switched_key
  FROM found f
  LEFT JOIN locked o USING (site_id)
  LEFT JOIN written w USING (site_id)
  ) result`;

/** Returns one result per check-in, in order; undefined for an unknown key. */
export async function recordCheckIns(
  pool: pg.Pool,
  checkIns: CheckIn[],
  now: Date,
): Promise<(CheckInRow | undefined)[]> {
  const input = checkIns.map((checkIn, position) => ({ position, ...checkIn }));
  const { rows } = await pool.query<{ results: CheckInJson[] }>({
    name: 'record-check-ins',
    text: CHECK_IN,
    values: [JSON.stringify(input), now],
  });
  const results = new Array<CheckInRow | undefined>(checkIns.length);
  for (const row of rows[0]?.results ?? []) {
    results[row.position] = {
      ...row,
      expires_at: row.expires_at === null ? null : new Date(row.expires_at),
      activated_at: new Date(row.activated_at),
      // The statement has just written this time. A wrong token writes nothing, but its response omits the site.
      last_check_at: now,
    };
  }
  return results;
}
