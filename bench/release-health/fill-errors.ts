import { createLogger } from '@steward/panel/logger';
import { loadConfig, openPanel } from '@steward/panel/program';
import { executeAsTableOwner } from '../fleet/fill.ts';

const GROUPS_PER_SITE = 10;
const DAYS_PER_GROUP = 3;

/** Each site has reported errors in ten of its plugins, on three days, unless a previous run has filled the tables. */
export async function fillErrors(env: NodeJS.ProcessEnv): Promise<void> {
  const panel = await openPanel(loadConfig(env), createLogger('warn'));
  const { rowCount } = await panel.connection.pool.query('SELECT FROM item_errors LIMIT 1');
  if (rowCount === 0) {
    await executeAsTableOwner(
      panel,
      `SET statement_timeout = 0;
       INSERT INTO item_error_reports (site_id, reported_at, has_site_key)
         SELECT id, now() - random() * interval '12 hours', true FROM sites WHERE inventory IS NOT NULL;
       INSERT INTO item_errors (site_id, key, fingerprint, type, slug, version, message, place, request_kind, is_confirmed,
           is_known, is_installed, count, first_at, last_at, reported_at)
         SELECT site_id, decode(md5(slug || version), 'hex'), decode(md5(slug), 'hex'), type, slug, version,
           'Uncaught Error: Call to undefined function ' || slug, 'includes/file.php:120', 'front', site_id % 20 = 0,
           site_id % 40 = 0, true, 30, now() - interval '3 days', now(), now()
         FROM (SELECT i.site_id, s.type, s.slug, i.version, row_number() OVER (PARTITION BY i.site_id ORDER BY md5(s.slug)) AS n
           FROM site_software i JOIN software s ON s.id = i.software_id) AS installed
         WHERE n <= ${GROUPS_PER_SITE};
       INSERT INTO item_error_days (site_id, type, slug, version, day, errors)
         SELECT site_id, type, slug, version, current_date - age, 10
         FROM item_errors CROSS JOIN generate_series(0, ${DAYS_PER_GROUP - 1}) AS age`,
    );
    await executeAsTableOwner(panel, 'VACUUM ANALYZE');
  }
  await panel.close();
}
