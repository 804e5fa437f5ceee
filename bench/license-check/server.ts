/** One of the servers that `run.ts` compares. The first argument is its name. */
import { buildApp } from '@steward/panel/app.ts';
import { openBackground } from '@steward/panel/background.ts';
import { startMetrics } from '@steward/panel/features/metrics/index.ts';
import { openPanel } from '@steward/panel/panel.ts';
import { systemClock } from '@steward/panel/platform/clock.ts';
import { loadConfig } from '@steward/panel/platform/config.ts';
import { createLogger } from '@steward/panel/platform/logger.ts';
import Fastify, { type FastifyInstance } from 'fastify';

const config = loadConfig(process.env);
const log = createLogger(config.logLevel);
const panel = await openPanel(config, log);
let stopBackground = async () => {};
const app = await build(process.argv[2] ?? '');
await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.((app.server.address() as { port: number }).port);
process.once('SIGTERM', async () => {
  await app.close();
  await stopBackground();
  await panel.close();
  process.exit(0);
});

async function build(variant: string): Promise<FastifyInstance> {
  if (variant === 'check' || variant === 'metrics') {
    const deps = { ...panel.connection, ...panel.services, secrets: panel.secrets, log };
    const clock = systemClock;
    const background = await openBackground({ ...deps, clock }, config, { startsWorker: false });
    stopBackground = background.stop;
    const { runs } = background;
    if (variant === 'metrics') {
      const metrics = { ...panel.connection, ...panel, log, clock, role: 'web' };
      await startMetrics({ port: 0, host: '127.0.0.1' }, metrics);
    }
    const draining = AbortSignal.any([]);
    return buildApp(config, { ...panel, db: panel.connection.db, runs, draining, log, clock });
  }
  const bare = Fastify();
  if (variant === 'empty') {
    bare.post('/api/v1/license/check', async () => ({ success: true }));
    return bare;
  }
  bare.post('/api/v1/license/check', async ({ body }) => {
    const report = body as Record<string, string>;
    await panel.connection.pool.query({
      name: 'one-update',
      text: `UPDATE license_activations
             SET last_check_at = now(), cms_version = $2, php_version = $3, plugin_version = $4
             WHERE site_id = $1`,
      values: [report.site_id, report.cms_version, report.php_version, report.plugin_version],
    });
    return { success: true };
  });
  return bare;
}
