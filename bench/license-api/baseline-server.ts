/** One of the servers that the panel is compared with. The first argument is its name. */

import { createLogger } from '@steward/panel/logger';
import { loadConfig, openPanel } from '@steward/panel/program';
import Fastify from 'fastify';

type Body = Record<string, string>;

const panel = await openPanel(loadConfig(process.env), createLogger('warn'));
const { pool } = panel.connection;

const HANDLERS: Record<string, (body: Body) => Promise<void>> = {
  /** Parses the body. */
  empty: async () => {},

  /** A simple implementation of the check-in. */
  oneUpdate: async ({ site_id, cms_version, php_version, plugin_version }) => {
    await pool.query({
      name: 'one-update',
      text: `UPDATE license_activations
             SET last_check_at = now(), cms_version = $2, php_version = $3, plugin_version = $4
             WHERE site_id = $1`,
      values: [site_id, cms_version, php_version, plugin_version],
    });
  },

  /** The least that an activation needs: lock the license, count its sites, insert the new one. */
  bareTransaction: async ({ license_id, site_url, cms_version, php_version, plugin_version }) => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT site_limit FROM licenses WHERE id = $1 FOR NO KEY UPDATE', [
        license_id,
      ]);
      await client.query('SELECT count(*) FROM bench_activations WHERE license_id = $1', [
        license_id,
      ]);
      await client.query(
        `INSERT INTO bench_activations (license_id, site_url, cms_version, php_version, plugin_version)
         VALUES ($1, $2, $3, $4, $5)`,
        [license_id, site_url, cms_version, php_version, plugin_version],
      );
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  },
};

const handle = HANDLERS[process.argv[2] ?? ''];
if (!handle) throw new Error(`Unknown server: ${process.argv[2]}`);
const app = Fastify({ bodyLimit: 1024 * 1024 });
app.post<{ Body: Body }>('/api/v1/*', async ({ body }) => {
  await handle(body);
  return { success: true };
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.((app.server.address() as { port: number }).port);
process.once('SIGTERM', async () => {
  await app.close();
  await panel.close();
  process.exit(0);
});
