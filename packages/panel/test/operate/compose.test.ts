import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@steward/testkit/free-port.ts';
import { registerSecret } from '@steward/testkit/logs.ts';
import { bareEnvironment, stewardProcess } from '@steward/testkit/panel/panel-process.ts';
import { newPassword } from '@steward/testkit/panel/signed-in-user.ts';
import { startPanel, startWorker } from '@steward/testkit/panel/start-process.ts';
import { launchPasswordPostgres } from '@steward/testkit/postgres/password-postgres.ts';
import { startProcessGroup } from '@steward/testkit/process-group.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { Agent, request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../../../..');

type Service = {
  shm_size?: string;
  command: string[];
  environment: Record<string, string>;
  healthcheck: { test: string[] };
};
const { services, networks } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), {
  merge: true,
}) as {
  services: Record<string, Service>;
  networks: { default: { ipam: { config: { subnet: string }[] } } };
};

/** Runs the script in a new folder, as an operator does. Returns the folder and the content of each secret. */
function createSecrets(folder = temporaryFolder()) {
  const create = () =>
    execFileSync('sh', [join(ROOT, 'deploy/create-secrets.sh')], { cwd: folder, stdio: 'pipe' });
  create();
  const path = join(folder, 'secrets');
  const read = () =>
    Object.fromEntries(
      readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8').trim()]),
    );
  for (const secret of Object.values(read())) registerSecret(secret);
  return { folder, path, create, read };
}

/** Returns the settings of a service, with the paths and names of this machine. */
function settingsOf(name: string, secretsFolder: string, host: string): NodeJS.ProcessEnv {
  const settings = Object.entries(services[name]?.environment ?? {}).map(([key, value]) => [
    key,
    value.replace('/run/secrets', secretsFolder).replace(/\$\{PANEL_HOST[^}]*\}/, host),
  ]);
  return Object.fromEntries(settings);
}

/** Starts PostgreSQL and creates the roles, and points the URLs in the secrets to it. */
async function startDatabase(secrets: ReturnType<typeof createSecrets>) {
  const { database_admin_password = '', ...values } = secrets.read();
  const postgres = await launchPasswordPostgres(database_admin_password);
  onTestFinished(() => postgres.stop());
  const env = settingsOf('database', secrets.path, '');
  const socket = { PGHOST: postgres.socketFolder, PGPORT: String(postgres.port) };
  execFileSync('sh', [join(ROOT, 'deploy/create-roles.sh')], {
    env: { ...process.env, ...env, ...socket },
    stdio: 'pipe',
  });
  for (const name of ['database_url', 'migration_database_url']) {
    const url = (values[name] ?? '').replace('database:5432', `127.0.0.1:${postgres.port}`);
    chmodSync(join(secrets.path, name), 0o600);
    writeFileSync(join(secrets.path, name), `${url}\n`);
  }
}

/** Starts Caddy with our file. Its own certificate authority signs the certificate for `localhost`. */
async function startCaddy(host: string, upstreams: string[]) {
  const folder = temporaryFolder();
  const options = `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n`;
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, options + readFileSync(join(ROOT, 'deploy/Caddyfile'), 'utf8'));
  const caddy = startProcessGroup(['caddy', 'run', '--adapter', 'caddyfile', '--config', file], {
    logFile: join(folder, 'caddy.log'),
    env: {
      ...bareEnvironment(),
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      PANEL_HOST: host,
      PANEL_UPSTREAMS: upstreams.join(' '),
    },
  });
  onTestFinished(() => caddy.stop());
  await caddy.waitUntilReady((log) => log.includes('serving initial configuration'));
  const authority = readFileSync(join(folder, 'caddy/pki/authorities/local/root.crt'));
  const dispatcher = new Agent({ connect: { ca: authority } });
  onTestFinished(() => dispatcher.close());
  return (path: string, body?: unknown) =>
    request(`https://${host}${path}`, {
      dispatcher,
      ...(body !== undefined && {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: `https://${host}` },
        body: JSON.stringify(body),
      }),
    });
}

describe('the services of compose.yaml, as processes', () => {
  it('trusts the proxy in the whole network, whose addresses the operator can choose', () => {
    const [network] = networks.default.ipam.config;
    expect(network?.subnet).toMatch(/^\$\{PANEL_SUBNET:-10\.89\.7\.0\/24\}$/);
    for (const name of ['web-1', 'web-2']) {
      expect(services[name]?.environment.TRUST_PROXY).toBe(network?.subnet);
    }
    expect(services.database?.shm_size).toBe('256mb');
  });

  it('closes a folder for secrets that was open to other users', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'secrets'), { mode: 0o755 });
    const { path } = createSecrets(folder);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('keeps secrets that exist, in a folder that only the operator can enter', () => {
    const { folder, create, read } = createSecrets();
    const first = read();
    create();
    expect(read()).toEqual(first);
    expect(new Set(Object.values(first)).size).toBe(6);
    expect(execFileSync('stat', ['-c', '%a', join(folder, 'secrets')], { encoding: 'utf8' })).toBe(
      '700\n',
    );
  });

  it('serves the panel through Caddy, and goes on with one web process', async () => {
    const secrets = createSecrets();
    await startDatabase(secrets);
    const host = `localhost:${await findFreePort()}`;
    const dataDir = join(secrets.folder, 'data');
    mkdirSync(dataDir);
    const envOf = (name: string) => ({
      ...settingsOf(name, secrets.path, host),
      DATA_DIR: dataDir,
      TRUST_PROXY: '127.0.0.1',
    });

    const { code, stderr } = await stewardProcess(
      services.migrate?.command ?? [],
      envOf('migrate'),
    );
    expect([code, stderr]).toEqual([0, '']);
    const startWeb = (name: string) =>
      startPanel(envOf(name), undefined, services[name]?.command.slice(1));
    const first = await startWeb('web-1');
    const second = await startWeb('web-2');
    const metricsPort = String(await findFreePort());
    await startWorker({ ...envOf('worker-1'), METRICS_PORT: metricsPort });
    await startWorker({ ...envOf('worker-2'), METRICS_PORT: '0' });
    const send = await startCaddy(
      host,
      [first, second].map(({ url }) => new URL(url).host),
    );

    // The health check of a worker, as Docker runs it.
    const [, program = '', ...args] = services['worker-1']?.healthcheck.test ?? [];
    const checkPort = (port: string) =>
      execFileSync(
        program,
        args.map((arg) => arg.replace('9464', port)),
        { env: bareEnvironment(), stdio: 'pipe' },
      );
    checkPort(metricsPort);
    const unusedPort = String(await findFreePort());
    expect(() => checkPort(unusedPort)).toThrow();

    const token = (await second.setupLink()).split('#token=')[1];
    const password = newPassword();
    const owner = { token, name: 'Olga', email: 'olga@example.com', password };
    const created = await send('/panel/setup', owner);
    expect(created.statusCode).toBe(200);
    expect(String(created.headers['set-cookie'])).toContain('; Secure');
    expect(created.headers['strict-transport-security']).toBe('max-age=31536000');
    await created.body.dump();

    await first.end('SIGKILL');
    for (let index = 0; index < 30; index += 1) {
      const { statusCode, body } = await send('/readyz');
      expect(statusCode).toBe(200);
      await body.dump();
    }
  });
});
