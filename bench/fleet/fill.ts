import { createLogger } from '@steward/panel/logger';
import { loadConfig, openPanel } from '@steward/panel/program';
import { createRandom, inventory, siteUrl } from './names.ts';

export const SITES_PER_LICENSE = 10;
const BATCH_SIZE = 2000;

type Panel = Awaited<ReturnType<typeof openPanel>>;
type Pool = Panel['connection']['pool'];

/** Creates the inventory of a site. With `pending` 0, no update is pending. */
export type CreateInventory = (pending: number, random: () => number) => object;

/** Fills an empty database with sites in every state. Uses SQL, which is faster than API calls. */
export async function fill(
  env: NodeJS.ProcessEnv,
  sites: number,
  createInventory: CreateInventory = inventory,
): Promise<void> {
  const panel = await openPanel(loadConfig(env), createLogger('warn'));
  const { pool } = panel.connection;
  const { rows } = await pool.query('SELECT count(*) AS count FROM sites');
  if (rows[0].count === 0) {
    await addLicenses(pool, sites / SITES_PER_LICENSE);
    const random = createRandom(7);
    // One pass over all sites is faster than one trigger for each of them.
    await executeAsTableOwner(panel, 'ALTER TABLE sites DISABLE TRIGGER USER');
    for (let from = 0; from < sites; from += BATCH_SIZE) {
      const count = Math.min(BATCH_SIZE, sites - from);
      const rows = Array.from({ length: count }, (_, n) =>
        createSiteRow(from + n, random, createInventory),
      );
      await addSites(pool, rows);
    }
    await executeAsTableOwner(panel, 'SET statement_timeout = 0; SELECT rebuild_software()');
    await executeAsTableOwner(panel, 'ALTER TABLE sites ENABLE TRIGGER USER');
    await countSites(pool);
    await addTags(pool);
    await executeAsTableOwner(panel, 'SET statement_timeout = 0; SELECT rebuild_listed_sites()');
    await executeAsTableOwner(panel, 'VACUUM ANALYZE');
    // Create dead rows. Production has them too: sites report after the last vacuum.
    await pool.query(`UPDATE sites SET inventory_at = inventory_at + interval '1 second'
      WHERE id % 10 = 0 AND inventory_at IS NOT NULL`);
  }
  await panel.close();
}

/** Of 100 licenses 3 have expired, 1 is suspended and 1 lacks the Remote service. */
async function addLicenses(pool: Pool, count: number): Promise<void> {
  await pool.query(`INSERT INTO plans (slug, name, services, created_at)
    VALUES ('bench', 'Bench', '{remote}', now())`);
  await pool.query(
    `INSERT INTO licenses (plan_id, key_hash, key_encrypted, key_last_six, services, status,
       expires_at, created_at)
     SELECT (SELECT id FROM plans WHERE slug = 'bench'), sha256(n::text::bytea), '', 'ABCDEF',
       CASE WHEN n % 100 = 9 THEN '{}'::text[] END,
       CASE WHEN n % 100 = 5 THEN 'suspended' ELSE 'active' END,
       CASE WHEN n % 100 < 3 THEN now() - interval '1 day' ELSE now() + interval '1 year' END, now()
     FROM generate_series(1, $1::integer) n`,
    [count],
  );
}

/** Of 100 sites: 2 never reported, 2 have no contact, 40 have updates and 3 have a fault. */
function createSiteRow(n: number, random: () => number, createInventory: CreateInventory) {
  const kind = random();
  const fault = random();
  const hasNoContact = kind > 0.96 && kind <= 0.98;
  return {
    n,
    url: siteUrl(n, random),
    inventory: kind > 0.98 ? null : createInventory(kind < 0.4 ? Math.ceil(kind * 15) : 0, random),
    age: hasNoContact ? 10 : random() * 0.5,
    fault:
      fault < 0.01
        ? 'failing'
        : fault < 0.02
          ? 'not_reachable'
          : fault < 0.03
            ? 'remote_off'
            : null,
    ended: random() < 0.02,
    staging: random() < 0.05,
    cms: `6.${Math.floor(random() * 9)}.${Math.floor(random() * 4)}`,
    php: `8.${Math.floor(random() * 4)}.${Math.floor(random() * 20)}`,
  };
}

async function addSites(pool: Pool, rows: ReturnType<typeof createSiteRow>[]) {
  await pool.query(
    `WITH row AS (
       SELECT * FROM jsonb_to_recordset($1::jsonb) AS r (n integer, url text, inventory jsonb,
         age double precision, fault text, ended boolean, staging boolean, cms text, php text)
     ), made AS (
       INSERT INTO sites (license_id, url, canonical_url, name, inventory, inventory_at, created_at,
         fault, fault_code, fault_error, fault_at)
       SELECT 1 + n / $2::integer, url, 'site-' || n, lower(site_label(NULL, url)), inventory,
         CASE WHEN inventory IS NOT NULL THEN now() - age * interval '1 day' END, now(), fault,
         CASE WHEN fault IS NOT NULL THEN 'site_timeout' END,
         CASE WHEN fault IS NOT NULL THEN 'The site did not answer in time.' END,
         CASE WHEN fault IS NOT NULL THEN now() END
       FROM row ORDER BY n RETURNING id, license_id, canonical_url
     )
     INSERT INTO license_activations (site_id, license_id, status, counted, environment,
       cms_version, php_version, plugin_version, license_key_encrypted, token_hash,
       token_encrypted, activated_at, deactivated_at, last_check_at)
     SELECT id, license_id, CASE WHEN ended THEN 'deactivated' ELSE 'active' END, true,
       CASE WHEN staging THEN 'staging' ELSE 'production' END, cms, php, '1.4.' || n % 3,
       sha256('key'), sha256('token'), sha256('token'), now(), CASE WHEN ended THEN now() END,
       now() - age * interval '1 day'
     FROM made JOIN row ON canonical_url = 'site-' || n`,
    [JSON.stringify(rows), SITES_PER_LICENSE],
  );
}

export async function countSites(pool: Pool): Promise<void> {
  await pool.query(`UPDATE licenses l SET counted_sites = active.sites FROM (
    SELECT license_id, count(*) AS sites FROM license_activations
    WHERE status = 'active' GROUP BY license_id) active WHERE active.license_id = l.id`);
}

/** `care plan` is on 30 % of the sites; each of the 39 other tags is on 1 %. */
async function addTags(pool: Pool): Promise<void> {
  await pool.query(`INSERT INTO tags (name) SELECT 'care plan' UNION ALL
    SELECT 'client ' || n FROM generate_series(1, 39) n`);
  await pool.query(`INSERT INTO site_tags (site_id, tag_id)
    SELECT s.id, t.id FROM sites s JOIN tags t
      ON CASE WHEN t.name = 'care plan' THEN s.id % 10 < 3
         ELSE (s.id * 7 + t.id) % 100 = 0 END`);
}

/** Grants access to half of all licenses, and to a few sites of the others, unless a previous run did. */
export async function grantHalf(env: NodeJS.ProcessEnv, userId: number): Promise<void> {
  const panel = await openPanel(loadConfig(env), createLogger('warn'));
  const { rowCount } = await panel.connection.pool.query(
    'SELECT FROM access_grants WHERE user_id = $1 LIMIT 1',
    [userId],
  );
  if (rowCount === 0) {
    // Without a timeout: no request grants that much at once.
    await executeAsTableOwner(
      panel,
      `SET statement_timeout = 0;
       INSERT INTO access_grants (user_id, license_id, created_at)
       SELECT ${userId}, id, now() FROM licenses WHERE id % 2 = 0;
       INSERT INTO access_grants (user_id, site_id, created_at)
       SELECT ${userId}, id, now() FROM sites WHERE license_id % 2 = 1 AND id % 50 = 0`,
    );
    await executeAsTableOwner(panel, 'VACUUM ANALYZE access_grants, listed_sites, tag_counts');
  }
  await panel.close();
}

/** Runs a statement as the owner of the tables, because the panel's role owns no tables. */
export async function executeAsTableOwner({ connection }: Panel, statement: string): Promise<void> {
  const owner = await connection.openAsOwner();
  await owner.pool.query(statement);
  await owner.close();
}
