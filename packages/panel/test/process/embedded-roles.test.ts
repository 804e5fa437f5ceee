import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchPanel, type PanelProcess } from '@steward/testkit/panel/panel-process.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward as runSteward } from '@steward/testkit/panel/steward-command.ts';
import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { useEmbeddedDataDirs } from '@steward/testkit/panel/use-embedded-data-dirs.ts';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { binariesFor, locateBinaries } from '../../src/platform/embedded-postgres/binaries.ts';
import { chooseOsAccount } from '../../src/platform/embedded-postgres/os-account.ts';

const dataDirs = useEmbeddedDataDirs();

async function steward(args: string[], env: NodeJS.ProcessEnv) {
  const { code, stdout, stderr } = await runSteward(args, env);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** Connects with the password from the data directory, as the panel does. */
async function connect(dataDir: string, user: string, passwordFile: string) {
  const password = readFileSync(join(dataDir, passwordFile), 'utf8').trim();
  const host = join(dataDir, 'run');
  const client = new pg.Client({ host, user, password, database: 'steward' });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

const asApp = (dataDir: string) => connect(dataDir, 'steward_app', 'postgres-app-password');
const asOwner = (dataDir: string) => connect(dataDir, 'steward', 'postgres-password');

async function activate(panel: PanelProcess, license_key: string, site_url: string) {
  const site = { license_key, site_url, ...VERSIONS };
  expect((await panel.post('/api/v1/license/activate', site)).status).toBe(200);
}

async function expectTwoRoles(dataDir: string) {
  const app = await asApp(dataDir);
  for (const statement of [
    `UPDATE audit_log SET actor = 'x'`,
    'DELETE FROM audit_chain',
    'TRUNCATE audit_log',
    'ALTER TABLE audit_log DISABLE TRIGGER USER',
    'DROP TABLE audit_chain',
  ]) {
    await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' });
  }
  const { rows } = await app.query(
    `SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = 'steward'
     AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  expect(rows).toEqual([{ usename: 'steward_app' }]);
  const owned = await app.query(
    `SELECT relname FROM pg_class WHERE pg_get_userbyid(relowner) = 'steward_app'`,
  );
  expect(owned.rows).toEqual([]);
}

/** Restores the layout of an earlier version: one role that owns everything. */
async function restoreOldLayout(dataDir: string) {
  const pgData = join(dataDir, 'postgres');
  const account = chooseOsAccount(dataDir, pgData);
  const binaries = binariesFor(account, await locateBinaries());
  const single = (database: string, statements: string) =>
    account.run(binaries.postgres, ['--single', '-D', pgData, database], statements);
  await single('steward', 'DROP OWNED BY steward_app\nDROP ROLE steward_app\n');
  writeFileSync(join(pgData, 'pg_hba.conf'), 'local steward steward scram-sha-256\n');
  for (const file of ['postgres/steward-role', 'postgres-app-password']) {
    rmSync(join(dataDir, file));
  }
  const startServer = () =>
    account.run(binaries.pg_ctl, ['start', '-D', pgData, '-w', '-l', join(pgData, 'start.log')]);
  return { startServer };
}

describe('the embedded database', () => {
  it('runs the panel with a role that owns nothing and cannot change the audit log', async () => {
    const { env, license_key } = dataDirs.copy();
    const panel = await startPanel(env);
    await activate(panel, license_key, 'https://a.example.com');
    await expectTwoRoles(env.DATA_DIR);
    expect(panel.output.stderr).not.toMatch(/permission denied/);
    expect(await panel.end('SIGTERM')).toBe(0);
  });

  it.each(['stopped', 'still running'])(
    'moves from one role to two without data loss if its server is %s',
    async (state) => {
      const { env, license_key } = dataDirs.copy();
      const first = await launchPanel(env);
      await activate(first, license_key, 'https://a.example.com');
      expect(await first.end('SIGTERM')).toBe(0);
      const { startServer } = await restoreOldLayout(env.DATA_DIR);
      if (state === 'still running') {
        await startServer();
        await expect(
          (await asOwner(env.DATA_DIR)).query('SELECT FROM pg_roles WHERE rolname ~ $1', ['app$']),
        ).resolves.toMatchObject({ rowCount: 0 });
      }

      const [one, two] = await Promise.all([startPanel(env), startPanel(env)]);
      await activate(one, license_key, 'https://b.example.com');
      const { body } = await two.post('/api/v1/license/validate', { license_key });
      expect(body.license).toMatchObject({ sites_used: 2 });
      await expectTwoRoles(env.DATA_DIR);
      const verified = JSON.parse(await steward(['audit', 'verify', '--json'], env));
      expect(verified).toMatchObject({ ok: true, broken: null, sealed_head: null });
      for (const panel of [one, two]) {
        expect(panel.output.stderr).not.toMatch(/permission denied/);
        expect(await panel.end('SIGTERM')).toBe(0);
      }
    },
  );
});
