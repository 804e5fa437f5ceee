import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Launcher,
  type PanelProcess,
  stewardProcess,
} from '@steward/testkit/panel/panel-process.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { binariesFor, locateBinaries } from '../../src/platform/embedded-postgres/binaries.ts';
import { chooseOsAccount } from '../../src/platform/embedded-postgres/os-account.ts';

const CREATE = ['license', 'create', '--plan', 'Agency', '--site-limit', 'unlimited', '--json'];

async function createLicense(env: NodeJS.ProcessEnv): Promise<string> {
  const { code, stdout, stderr } = await stewardProcess(CREATE, env);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout).license_key;
}

const postmasterPid = (dataDir: string) =>
  Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);

/** PostgreSQL removes its lock file as the last thing it does when it is stopped in order. */
const isRunning = (dataDir: string) => existsSync(join(dataDir, 'postgres/postmaster.pid'));

const sitesUsed = async (panel: PanelProcess, license_key: string) => {
  const { body } = await panel.post('/api/v1/license/validate', { license_key });
  return (body.license as { sites_used: number }).sites_used;
};

/** Activates sites one after another until it is stopped; gives the number that was acknowledged. */
function activateSteadily(panel: PanelProcess, license_key: string) {
  let isStopped = false;
  let acknowledged = 0;
  let asked = 0;
  const loop = (async () => {
    while (!isStopped) {
      const site_url = `https://steady-${asked++}.example.com`;
      const ask = { license_key, site_url, ...VERSIONS };
      const answer = await panel.post('/api/v1/license/activate', ask).catch(() => null);
      if (answer?.status === 200) acknowledged++;
      else await sleep(20);
    }
  })();
  return {
    acknowledged: () => acknowledged,
    asked: () => asked,
    async stop() {
      isStopped = true;
      await loop;
    },
  };
}

const until = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await sleep(20);
};

/** A panel in the middle of its work, to be disturbed. */
async function startBusyPanel() {
  const env = { DATA_DIR: temporaryFolder() };
  const panel = await startPanel(env);
  const license_key = await createLicense(env);
  const steady = activateSteadily(panel, license_key);
  await until(() => steady.acknowledged() >= 20);
  return { env, panel, license_key, steady };
}

describe('the embedded database', () => {
  it('is set up by the first start and stopped by SIGTERM, leaving all in order', async () => {
    const env = { DATA_DIR: join(temporaryFolder(), 'a folder', "with 'odd' signs") };
    const first = await startPanel(env);
    const license_key = await createLicense(env);
    expect(isRunning(env.DATA_DIR)).toBe(true);
    expect(await first.end('SIGTERM')).toBe(0);
    expect(isRunning(env.DATA_DIR)).toBe(false);
    const second = await startPanel(env);
    expect(await sitesUsed(second, license_key)).toBe(0);
    expect(await second.end('SIGTERM')).toBe(0);
  });

  it('works for the command line alone and does not stay behind', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    await createLicense(env);
    const listed = await stewardProcess(['license', 'list', '--json'], env);
    expect(JSON.parse(listed.stdout)).toHaveLength(1);
    expect(isRunning(env.DATA_DIR)).toBe(false);
  });

  it('keeps its secrets from other users', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    await createLicense(env);
    for (const [name, mode] of [
      ['secret.key', 0o600],
      ['postgres-password', 0o600],
      ['postgres-app-password', 0o600],
      ['audit-head.json', 0o600],
      ['postgres', 0o700],
      ['run', 0o700],
    ] as const) {
      expect([name, statSync(join(env.DATA_DIR, name)).mode & 0o777]).toEqual([name, mode]);
    }
  });

  describe('signing in as superuser, with the password that the panel has', () => {
    const attempt = async (dataDir: string, user: string, database: string) => {
      const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim();
      const client = new pg.Client({ host: join(dataDir, 'run'), user, password, database });
      try {
        await client.connect();
        const { rows } = await client.query(`SELECT current_setting('is_superuser') AS super`);
        return rows[0].super;
      } catch (error) {
        return (error as Error).message;
      } finally {
        await client.end();
      }
    };
    const expectClosed = async (dataDir: string) => {
      expect(await attempt(dataDir, 'postgres', 'postgres')).toMatch(/no pg_hba\.conf entry/);
      expect(await attempt(dataDir, 'postgres', 'steward')).toMatch(/no pg_hba\.conf entry/);
      expect(await attempt(dataDir, 'steward', 'steward')).toBe('off');
    };
    /** As earlier versions have set up their clusters. */
    const openUp = (dataDir: string) =>
      writeFileSync(join(dataDir, 'postgres/pg_hba.conf'), 'local all all trust\n');

    it('is refused', async () => {
      const env = { DATA_DIR: temporaryFolder() };
      const panel = await startPanel(env);
      await expectClosed(env.DATA_DIR);
      expect(await panel.end('SIGTERM')).toBe(0);
    });

    it('is refused in a data directory of an earlier version, also while its server runs', async () => {
      const env = { DATA_DIR: temporaryFolder() };
      await createLicense(env);
      openUp(env.DATA_DIR);
      const panel = await startPanel(env);
      await expectClosed(env.DATA_DIR);
      openUp(env.DATA_DIR);
      process.kill(postmasterPid(env.DATA_DIR), 'SIGHUP');
      await expect.poll(() => attempt(env.DATA_DIR, 'postgres', 'postgres')).toBe('on');
      await createLicense(env);
      await expect
        .poll(() => attempt(env.DATA_DIR, 'postgres', 'postgres'))
        .toMatch(/no pg_hba\.conf entry/);
      await expectClosed(env.DATA_DIR);
      expect(await panel.end('SIGTERM')).toBe(0);
    });
  });

  it('is started once when two panels start together, and joined by the other', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    const [one, two] = await Promise.all([startPanel(env), startPanel(env)]);
    const license_key = await createLicense(env);
    await one.post('/api/v1/license/activate', { license_key, site_url: 'a.com', ...VERSIONS });
    expect(await sitesUsed(two, license_key)).toBe(1);
    // Whoever started it may go; the other goes on.
    expect(await one.end('SIGTERM')).toBe(0);
    expect(await sitesUsed(two, license_key)).toBe(1);
    expect(await two.end('SIGTERM')).toBe(0);
    expect(isRunning(env.DATA_DIR)).toBe(false);
    expect(readdirSync(env.DATA_DIR).filter((name) => name.startsWith('postgres.new'))).toEqual([]);
  });

  it('loses nothing acknowledged when the panel is killed, and is joined by the next', async () => {
    const { env, panel, license_key, steady } = await startBusyPanel();
    await panel.end('SIGKILL');
    await steady.stop();
    // PostgreSQL has outlived its panel.
    expect(isRunning(env.DATA_DIR)).toBe(true);
    const next = await startPanel(env);
    const used = await sitesUsed(next, license_key);
    expect(used).toBeGreaterThanOrEqual(steady.acknowledged());
    expect(used).toBeLessThanOrEqual(steady.asked());
    expect(await next.end('SIGTERM')).toBe(0);
  });

  it('comes back by itself when PostgreSQL is killed, with all that was acknowledged', async () => {
    const { env, panel, license_key, steady } = await startBusyPanel();
    process.kill(postmasterPid(env.DATA_DIR), 'SIGKILL');
    const before = steady.acknowledged();
    await until(() => steady.acknowledged() >= before + 20);
    await steady.stop();
    const used = await sitesUsed(panel, license_key);
    expect(used).toBeGreaterThanOrEqual(steady.acknowledged());
    expect(used).toBeLessThanOrEqual(steady.asked());
    expect(await panel.end('SIGTERM')).toBe(0);
  });

  it('survives the death of both at once', async () => {
    const { env, panel, license_key, steady } = await startBusyPanel();
    process.kill(postmasterPid(env.DATA_DIR), 'SIGKILL');
    await panel.end('SIGKILL');
    await steady.stop();
    const next = await startPanel(env);
    expect(await sitesUsed(next, license_key)).toBeGreaterThanOrEqual(steady.acknowledged());
    expect(await next.end('SIGTERM')).toBe(0);
  });

  for (const name of ['a,b', 'back\\slash', 'é'.repeat(60), "it's", 'x'.repeat(120)]) {
    it(`works in a data directory called ${name.slice(0, 12)}`, async () => {
      const env = { DATA_DIR: join(temporaryFolder(), name) };
      await createLicense(env);
      expect(isRunning(env.DATA_DIR)).toBe(false);
    });
  }

  it('lets many commands start and stop it at the same time', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    await createLicense(env);
    const results = await Promise.all(
      Array.from({ length: 6 }, () => stewardProcess(['license', 'list', '--json'], env)),
    );
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(results.map(() => [0, '']));
    expect(isRunning(env.DATA_DIR)).toBe(false);
  });

  it('cleans up what a kill in the middle of the first set-up left', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    const deadPid = 4_194_304 + 7;
    mkdirSync(join(env.DATA_DIR, `postgres.new-${deadPid}-0000/base`), { recursive: true });
    await createLicense(env);
    expect(readdirSync(env.DATA_DIR).filter((name) => name.startsWith('postgres.new'))).toEqual([]);
  });

  it('says what to do when the data directory cannot be made', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    for (const DATA_DIR of [join(file, 'data'), '/proc/none/data']) {
      const { code, stderr } = await steward(['license', 'list'], { DATA_DIR });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^steward: The data directory .* DATA_DIR .*\n$/);
    }
  });
});

describe.runIf(process.getuid?.() === 0)('the embedded database, run by root', () => {
  it('never runs as root', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    const panel = await startPanel(env);
    expect(statSync(`/proc/${postmasterPid(env.DATA_DIR)}`).uid).not.toBe(0);
    expect(await panel.end('SIGTERM')).toBe(0);
  });

  it('works in a folder that only root may enter', async () => {
    const closed = temporaryFolder();
    chmodSync(closed, 0o700);
    const env = { DATA_DIR: join(closed, 'data') };
    const panel = await startPanel(env);
    expect(await panel.end('SIGTERM')).toBe(0);
  });

  /** `nobody`, who may read where the project lies, even below a closed folder, but not write. */
  const asNobody: Launcher = (command) => [
    'setpriv',
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
    '--inh-caps=-all,+dac_read_search',
    '--ambient-caps=-all,+dac_read_search',
    ...command,
  ];

  it('works for an ordinary user', async () => {
    const open = temporaryFolder();
    chmodSync(open, 0o777);
    const env = { DATA_DIR: join(open, 'data') };
    const panel = await startPanel(env, asNobody);
    expect(statSync(`/proc/${postmasterPid(env.DATA_DIR)}`).uid).toBe(65534);
    expect(statSync(env.DATA_DIR).mode & 0o777).toBe(0o700);
    expect(await panel.end('SIGTERM')).toBe(0);
    // After a crash and a restart of the container both locks may name a living process of the same
    // user that is no PostgreSQL.
    const bystander = spawn('sleep', ['60'], { uid: 65534, gid: 65534 });
    onTestFinished(() => void bystander.kill());
    const lock = `${bystander.pid}\n${env.DATA_DIR}/postgres\n1\n5432\n`;
    for (const name of ['postgres/postmaster.pid', 'run/.s.PGSQL.5432.lock']) {
      writeFileSync(join(env.DATA_DIR, name), lock);
      chownSync(join(env.DATA_DIR, name), 65534, 65534);
    }
    // And root takes over what the user left.
    const taken = await startPanel(env);
    expect(statSync(`/proc/${postmasterPid(env.DATA_DIR)}`).uid).toBe(65534);
    expect(await taken.end('SIGTERM')).toBe(0);
  });

  it('never takes away the lock of a living server, though it may not look at its processes', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    // As in a container, where root lacks the right to look into other users' processes.
    const asInContainer: Launcher = (command) => [
      'setpriv',
      '--bounding-set=-sys_ptrace',
      '--inh-caps=-sys_ptrace',
      ...command,
    ];
    const panels = await Promise.all(
      Array.from({ length: 4 }, () => startPanel(env, asInContainer)),
    );
    for (const panel of panels) expect(await panel.end('SIGTERM')).toBe(0);
    const logs = readdirSync(join(env.DATA_DIR, 'postgres/log')).map((name) =>
      readFileSync(join(env.DATA_DIR, 'postgres/log', name), 'utf8'),
    );
    expect(logs.join('')).toContain('database system is shut down');
    expect(logs.join('')).not.toMatch(/lock file is invalid|not properly shut down/);
  });

  it('takes a backup that was copied back without its owners', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    const license_key = await createLicense(env);
    const copy = { DATA_DIR: join(temporaryFolder(), 'copy') };
    execFileSync('cp', ['-r', env.DATA_DIR, copy.DATA_DIR]);
    expect(statSync(join(copy.DATA_DIR, 'postgres')).uid).toBe(0);
    const panel = await startPanel(copy);
    expect(await sitesUsed(panel, license_key)).toBe(0);
    expect(await panel.end('SIGTERM')).toBe(0);
  });

  it('gives the account a copy of programs that lie where only root may go', async () => {
    const binaries = await locateBinaries();
    const run = (command: string) =>
      execFileSync(command, ['--version'], { uid: 65534, gid: 65534, cwd: '/' }).toString();
    const account = chooseOsAccount('/', '/nowhere');
    const copies = binariesFor({ ...account, canReach: () => false }, binaries);
    expect(copies.postgres).not.toBe(binaries.postgres);
    for (const copy of Object.values(copies)) expect(run(copy)).toContain('PostgreSQL');
  });
});
