import { hashInventory, keepKnownFields } from '@steward/panel/features';
import { createLogger } from '@steward/panel/logger';
import { hashToken, loadConfig, openPanel, type Panel } from '@steward/panel/program';
import { hostOf, INVENTORY, licenseKey, licenseOf, type Scale, VERSIONS } from './shapes.ts';

const BATCH_SIZE = 20_000;

/** Fills an empty database with active sites. Uses SQL, because a million activations over HTTP take an hour. */
export async function fill(env: NodeJS.ProcessEnv, scale: Scale): Promise<void> {
  const panel = await openPanel(loadConfig(env), createLogger('warn'));
  const { pool } = panel.connection;
  try {
    const { rows } = await pool.query('SELECT count(*) AS count FROM sites');
    if (rows[0].count > 0) return await assertFilledToday(panel);
    await addLicenses(panel, scale);
    const owner = await panel.connection.openAsOwner();
    const execute = (statement: string) =>
      owner.pool.query(`SET statement_timeout = 0; ${statement}`);
    // Building an index once is faster than adding a million entries to it.
    const indexes = await listIndexes(panel);
    for (const { name } of indexes) await execute(`DROP INDEX ${name}`);
    // The tables of software stay empty: no measured request reads them, and filling them takes most of the time.
    await execute('ALTER TABLE sites DISABLE TRIGGER USER');
    for (let from = 0; from < scale.sites; from += BATCH_SIZE) {
      await addSites(panel, from, Math.min(BATCH_SIZE, scale.sites - from), scale);
    }
    for (const { definition } of indexes) {
      await execute(`SET maintenance_work_mem = '512MB'; ${definition}`);
    }
    await execute('ALTER TABLE sites ENABLE TRIGGER USER');
    await execute(`UPDATE licenses l SET counted_sites = active.sites FROM (
      SELECT license_id, count(*) AS sites FROM license_activations GROUP BY license_id) active
      WHERE active.license_id = l.id`);
    await execute('SELECT rebuild_listed_sites()');
    await owner.pool.query('VACUUM ANALYZE');
    await owner.close();
  } finally {
    await panel.close();
  }
}

/** The first report of a site on a day writes indexes; `fill` lets half of the sites report today. */
async function assertFilledToday({ connection }: Panel): Promise<void> {
  const { rows } = await connection.pool.query(
    `SELECT report_day = (now() AT TIME ZONE 'UTC')::date AS is_today FROM sites ORDER BY id LIMIT 1`,
  );
  if (!rows[0].is_today) throw new Error('The kept databases are of an earlier day. Delete them.');
}

/** A license has room for a tenth more sites, so that activations also check the seat moves. */
async function addLicenses({ connection, secrets }: Panel, { sites, licenses }: Scale) {
  const { pool } = connection;
  await pool.query(`INSERT INTO plans (slug, name, services, created_at)
    VALUES ('bench', 'Bench', '{remote}', now())`);
  for (let from = 0; from < licenses; from += BATCH_SIZE) {
    const keys = Array.from({ length: Math.min(BATCH_SIZE, licenses - from) }, (_, n) =>
      licenseKey(from + n),
    );
    await pool.query(
      `INSERT INTO licenses (id, plan_id, key_hash, key_encrypted, key_last_six, site_limit, status, created_at)
       OVERRIDING SYSTEM VALUE
       SELECT $1::integer + n, (SELECT id FROM plans WHERE slug = 'bench'), decode(hash, 'hex'),
         decode(encrypted, 'hex'), right(hash, 6), $2, 'active', now()
       FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS keys (hash, encrypted, n)`,
      [
        from,
        Math.ceil((sites / licenses) * 1.1) + 1,
        keys.map((key) => secrets.fingerprint(key)),
        keys.map((key) => secrets.encrypt(key, 'license_key').toString('hex')),
      ],
    );
  }
}

/** Sites with an even number reported today, the others yesterday. */
async function addSites({ connection, secrets }: Panel, from: number, count: number, scale: Scale) {
  const numbers = Array.from({ length: count }, (_, n) => from + n);
  const token = 'a token for benchmarks only';
  await connection.pool.query(
    `WITH added AS (
       INSERT INTO sites (license_id, url, canonical_url, inventory, inventory_hash, inventory_at, created_at)
       SELECT license, 'https://' || host, host, $3::jsonb, $11, now() - n % 2 * interval '1 day', now()
       FROM unnest($1::integer[], $2::text[], $4::integer[]) AS site (n, host, license) ORDER BY n
       RETURNING id, license_id
     )
     INSERT INTO license_activations (site_id, license_id, status, counted, environment,
       cms_version, php_version, plugin_version, license_key_encrypted, token_hash,
       token_encrypted, activated_at, last_check_at)
     SELECT id, license_id, 'active', true, 'production', $5, $6, $7, $8, $9, $10, now(),
       now() - interval '12 hours'
     FROM added`,
    [
      numbers,
      numbers.map(hostOf),
      JSON.stringify(INVENTORY),
      numbers.map((n) => 1 + licenseOf(n, scale)),
      VERSIONS.cms_version,
      VERSIONS.php_version,
      VERSIONS.plugin_version,
      secrets.encrypt(licenseKey(0), 'license_key'),
      Buffer.from(hashToken(token), 'hex'),
      secrets.encrypt(token, 'activation_token'),
      hashInventory(keepKnownFields(INVENTORY)),
    ],
  );
}

async function listIndexes({ connection }: Panel) {
  const { rows } = await connection.pool.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid IN ('sites'::regclass, 'license_activations'::regclass) AND NOT indisunique`,
  );
  return rows;
}
