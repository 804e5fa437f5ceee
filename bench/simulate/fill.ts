import { canonicalSiteUrl } from '@steward/contract';
import { hashInventory, keepKnownFields, toStoredPreflight } from '@steward/panel/features';
import type { Panel } from '@steward/panel/program';
import { countSites, executeAsTableOwner } from '../fleet/fill.ts';
import type { SimulatedSites } from './simulated-sites.ts';

const SITES_PER_LICENSE = 10;
const BATCH_SIZE = 1000;
const HISTORY_TRIGGER = 'site_software_record_version';

/** Stores the sites as if they had connected and reported once. Uses SQL, which is faster than API calls. */
export async function fillSites(
  panel: Panel,
  sites: SimulatedSites,
  signal: AbortSignal,
): Promise<void> {
  const { pool } = panel.connection;
  await pool.query(`INSERT INTO plans (slug, name, services, created_at)
    VALUES ('simulated', 'Simulated', '{remote}', now())`);
  await pool.query(
    `INSERT INTO licenses (plan_id, key_hash, key_encrypted, key_last_six, status, expires_at, created_at)
     SELECT (SELECT id FROM plans WHERE slug = 'simulated'), sha256(n::text::bytea), '', 'ABCDEF', 'active',
       now() + interval '10 years', now()
     FROM generate_series(1, $1::integer) n`,
    [Math.ceil(sites.count / SITES_PER_LICENSE)],
  );
  // One pass over all sites is faster than one trigger for each of them, or for each of their plugins.
  await executeAsTableOwner(panel, 'ALTER TABLE sites DISABLE TRIGGER USER');
  await executeAsTableOwner(panel, `ALTER TABLE site_software DISABLE TRIGGER ${HISTORY_TRIGGER}`);
  for (let from = 0; from < sites.count; from += BATCH_SIZE) {
    const count = Math.min(BATCH_SIZE, sites.count - from);
    const rows = Array.from({ length: count }, (_, n) => createRow(from + n, sites));
    await addSites(panel, rows, sites);
    signal.throwIfAborted();
  }
  await executeAsTableOwner(panel, 'SET statement_timeout = 0; SELECT rebuild_software()');
  await executeAsTableOwner(
    panel,
    `SET statement_timeout = 0; INSERT INTO version_history (site_id, type, slug, at, name, version)
     SELECT i.site_id, s.type, s.slug, now(), s.name, i.version
     FROM site_software i JOIN software s ON s.id = i.software_id`,
  );
  await executeAsTableOwner(panel, `ALTER TABLE site_software ENABLE TRIGGER ${HISTORY_TRIGGER}`);
  await executeAsTableOwner(panel, 'ALTER TABLE sites ENABLE TRIGGER USER');
  await countSites(pool);
}

function createRow(site: number, sites: SimulatedSites) {
  const url = canonicalSiteUrl(sites.siteUrl(site));
  if (!url.ok) throw new Error('The URL of a simulated site is not valid.');
  const inventory = sites.createSiteInventory(site);
  const columns = Object.entries(sites.columnsOf(site) ?? {});
  return {
    n: site,
    url: url.given,
    canonical_url: url.canonical,
    endpoint_url: sites.endpointUrl(site),
    inventory,
    inventory_hash: hashInventory(keepKnownFields(inventory)).toString('hex'),
    preflight: toStoredPreflight(sites.createPreflight(), inventory),
    ...Object.fromEntries(columns.map(([name, value]) => [name, value.toString('hex')])),
  };
}

async function addSites(
  { connection }: Panel,
  rows: ReturnType<typeof createRow>[],
  { versions, capabilities, timeZone }: SimulatedSites,
): Promise<void> {
  await connection.pool.query(
    `WITH row AS (
       SELECT * FROM jsonb_to_recordset($1::jsonb) AS r (n integer, url text, canonical_url text,
         endpoint_url text, inventory jsonb, inventory_hash text, preflight jsonb, token_hash text, token_encrypted text, site_key_hash text,
         site_key_encrypted text)
     ), made AS (
       INSERT INTO sites (license_id, url, canonical_url, endpoint_url, inventory, inventory_hash, inventory_at, preflight,
         preflight_at, time_zone, created_at)
       SELECT 1 + n / $2::integer, url, canonical_url, endpoint_url, inventory, decode(inventory_hash, 'hex'), now(),
         preflight, now(), $7, now()
       FROM row ORDER BY n RETURNING id, license_id, canonical_url
     )
     INSERT INTO license_activations (site_id, license_id, status, counted, environment, cms_version,
       php_version, plugin_version, token_hash, token_encrypted, site_key_hash, site_key_encrypted,
       activated_at, proven_at, proven_endpoint_url, last_check_at, accepts_unsigned_calls, capabilities)
     SELECT id, license_id, 'active', true, 'production', $3, $4, $5, decode(token_hash, 'hex'),
       decode(token_encrypted, 'hex'), decode(site_key_hash, 'hex'), decode(site_key_encrypted, 'hex'),
       now(), now(), endpoint_url, now(), false, $6
     FROM made JOIN row USING (canonical_url)`,
    [
      JSON.stringify(rows),
      SITES_PER_LICENSE,
      versions.cms_version,
      versions.php_version,
      versions.plugin_version,
      capabilities,
      timeZone,
    ],
  );
}
