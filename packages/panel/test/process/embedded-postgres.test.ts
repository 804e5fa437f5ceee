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
import { useEmbeddedDataDirs } from '@steward/testkit/panel/use-embedded-data-dirs.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { binariesFor, locateBinaries } from '../../src/platform/embedded-postgres/binaries.ts';
import { chooseOsAccount } from '../../src/platform/embedded-postgres/os-account.ts';

const CREATE = ['license', 'create', '--plan', 'Agency', '--site-limit', 'unlimited', '--json'];

/** Runs the command in this process, because a process costs a second. */
async function createLicense(env: NodeJS.ProcessEnv, runCommand = steward): Promise<string> {
  const { code, stdout, stderr } = await runCommand(CREATE, env);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout).license_key;
}

const postmasterPid = (dataDir: string) =>
  Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);

/** PostgreSQL removes its lock file last in a graceful stop. */
const isRunning = (dataDir: string) => existsSync(join(dataDir, 'postgres/postmaster.pid'));

const sitesUsed = async (panel: PanelProcess, license_key: string) => {
  const { body } = await panel.post('/api/v1/license/validate', { license_key });
  return (body.license as { sites_used: number }).sites_used;
};

/** Activates sites in a loop and counts the acknowledged activations. */
function activateSteadily(panel: PanelProcess, license_key: string, name: string) {
  let isStopped = false;
  let acknowledged = 0;
  let requested = 0;
  const loop = (async () => {
    while (!isStopped) {
      const site_url = `https://${name}-${requested++}.example.com`;
      const request = { license_key, site_url, ...VERSIONS };
      const response = await panel.post('/api/v1/license/activate', request).catch(() => null);
      if (response?.status === 200) acknowledged++;
      else await sleep(20);
    }
  })();
  return {
    acknowledged: () => acknowledged,
    requested: () => requested,
    async stop() {
      isStopped = true;
      await loop;
    },
  };
}

const until = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await sleep(20);
};

const dataDirs = useEmbeddedDataDirs();

/** Puts the panel under load. */
async function startLoad(panel: PanelProcess, license_key: string, name: string) {
  const load = activateSteadily(panel, license_key, name);
  await until(() => load.acknowledged() >= 20);
  return load;
}
type Load = Awaited<ReturnType<typeof startLoad>>;

describe('the embedded database', () => {
  it('is set up by the first start and stopped cleanly by SIGTERM', async () => {
    // If root runs this test, PostgreSQL runs as another user, who may not enter this folder.
    const closed = temporaryFolder();
    chmodSync(closed, 0o700);
    const env = { DATA_DIR: join(closed, 'a folder', "with 'odd' signs") };
    const first = await startPanel(env);
    expect(statSync(`/proc/${postmasterPid(env.DATA_DIR)}`).uid, 'never runs as root').not.toBe(0);
    const license_key = await createLicense(env);
    expect(isRunning(env.DATA_DIR)).toBe(true);
    expect(await first.end('SIGTERM')).toBe(0);
    expect(isRunning(env.DATA_DIR)).toBe(false);
    const second = await startPanel(env);
    expect(await sitesUsed(second, license_key)).toBe(0);
    expect(await second.end('SIGTERM')).toBe(0);
  });

  it('protects its secrets from other users', () => {
    const { dataDir } = dataDirs.template;
    for (const [name, mode] of [
      ['secret.key', 0o600],
      ['postgres-password', 0o600],
      ['postgres-app-password', 0o600],
      ['audit-head.json', 0o600],
      ['postgres', 0o700],
      ['run', 0o700],
    ] as const) {
      expect([name, statSync(join(dataDir, name)).mode & 0o777]).toEqual([name, mode]);
    }
  });

  describe('signing in as superuser with the password of the panel', () => {
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
    /** The access rules of earlier versions. */
    const allowSuperuser = (dataDir: string) =>
      writeFileSync(join(dataDir, 'postgres/pg_hba.conf'), 'local all all trust\n');

    it('is refused, also in a data directory of an earlier version, even while its server runs', async () => {
      const { env } = dataDirs.copy();
      const rules = (dataDir: string) =>
        readFileSync(join(dataDir, 'postgres/pg_hba.conf'), 'utf8');
      const ofNewCluster = rules(env.DATA_DIR);
      allowSuperuser(env.DATA_DIR);
      const panel = await startPanel(env);
      expect(rules(env.DATA_DIR)).toBe(ofNewCluster);
      await expectClosed(env.DATA_DIR);
      allowSuperuser(env.DATA_DIR);
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

  it('is started once by two panels that start together', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    const [one, two] = await Promise.all([startPanel(env), startPanel(env)]);
    const license_key = await createLicense(env);
    await one.post('/api/v1/license/activate', { license_key, site_url: 'a.com', ...VERSIONS });
    expect(await sitesUsed(two, license_key)).toBe(1);
    // The panel that started the server may stop; the other keeps using it.
    expect(await one.end('SIGTERM')).toBe(0);
    expect(await sitesUsed(two, license_key)).toBe(1);
    // A panel that is stopped while it restarts PostgreSQL stops it too.
    process.kill(postmasterPid(env.DATA_DIR), 'SIGKILL');
    await until(() => two.output.stderr.includes('Lost the embedded database'));
    expect(await two.end('SIGTERM')).toBe(0);
    expect(isRunning(env.DATA_DIR)).toBe(false);
    expect(readdirSync(env.DATA_DIR).filter((name) => name.startsWith('postgres.new'))).toEqual([]);
  });

  it('loses nothing acknowledged if PostgreSQL, the panel, or both at once are killed', async () => {
    const { env, license_key } = dataDirs.copy();
    const expectNothingLost = async (panel: PanelProcess, loads: Load[]) => {
      const count = (kind: keyof Omit<Load, 'stop'>) =>
        loads.reduce((sum, load) => sum + load[kind](), 0);
      const used = await sitesUsed(panel, license_key);
      expect(used).toBeGreaterThanOrEqual(count('acknowledged'));
      expect(used).toBeLessThanOrEqual(count('requested'));
    };
    const first = await startPanel(env);
    const onFirst = await startLoad(first, license_key, 'first');
    process.kill(postmasterPid(env.DATA_DIR), 'SIGKILL');
    const before = onFirst.acknowledged();
    await until(() => onFirst.acknowledged() >= before + 20);
    await first.end('SIGKILL');
    await onFirst.stop();
    // PostgreSQL outlives its panel, and the next panel joins it.
    expect(isRunning(env.DATA_DIR)).toBe(true);
    const second = await startPanel(env);
    await expectNothingLost(second, [onFirst]);

    const onSecond = await startLoad(second, license_key, 'second');
    process.kill(postmasterPid(env.DATA_DIR), 'SIGKILL');
    await second.end('SIGKILL');
    await onSecond.stop();
    const third = await startPanel(env);
    await expectNothingLost(third, [onFirst, onSecond]);

    // A panel that has restarted PostgreSQL stops cleanly.
    const onThird = await startLoad(third, license_key, 'third');
    process.kill(postmasterPid(env.DATA_DIR), 'SIGKILL');
    const beforeThird = onThird.acknowledged();
    await until(() => onThird.acknowledged() >= beforeThird + 20);
    await onThird.stop();
    await expectNothingLost(third, [onFirst, onSecond, onThird]);
    expect(await third.end('SIGTERM')).toBe(0);
    expect(isRunning(env.DATA_DIR)).toBe(false);
  });

  for (const name of ["a,b back\\slash it's", 'é'.repeat(60), 'x'.repeat(120)]) {
    it(`replaces what a killed first start has left, in a data directory named ${name.slice(0, 20)}`, async () => {
      const env = { DATA_DIR: join(temporaryFolder(), name) };
      // A killed first start has left a part of a cluster.
      const deadPid = 4_194_304 + 7;
      mkdirSync(join(env.DATA_DIR, `postgres.new-${deadPid}-0000/base`), { recursive: true });
      await createLicense(env);
      expect(isRunning(env.DATA_DIR)).toBe(false);
      expect(readdirSync(env.DATA_DIR).filter((each) => each.startsWith('postgres.new'))).toEqual(
        [],
      );
    });
  }

  it('works for the command line alone: concurrent commands start and stop it', async () => {
    const { env } = dataDirs.copy();
    const results = await Promise.all(
      Array.from({ length: 4 }, () => stewardProcess(['license', 'list', '--json'], env)),
    );
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(results.map(() => [0, '']));
    for (const { stdout } of results) expect(JSON.parse(stdout)).toHaveLength(1);
    expect(isRunning(env.DATA_DIR)).toBe(false);
  });

  it('explains what to do if the data directory cannot be created', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    for (const DATA_DIR of [join(file, 'data'), '/proc/none/data']) {
      const { code, stderr } = await steward(['license', 'list'], { DATA_DIR });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^steward: Cannot create the data directory .* DATA_DIR .*\n$/);
    }
  });
});

describe.runIf(process.getuid?.() === 0)('the embedded database, run by root', () => {
  /** Runs as `nobody`, who can read the project even below a closed directory, but not write. */
  const asNobody: Launcher = (command) => [
    'setpriv',
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
    '--inh-caps=-all,+dac_read_search',
    '--ambient-caps=-all,+dac_read_search',
    ...command,
  ];

  it('works for a normal user', async () => {
    const open = temporaryFolder();
    chmodSync(open, 0o777);
    const env = { DATA_DIR: join(open, 'data') };
    const panel = await startPanel(env, asNobody);
    expect(statSync(`/proc/${postmasterPid(env.DATA_DIR)}`).uid).toBe(65534);
    expect(statSync(env.DATA_DIR).mode & 0o777).toBe(0o700);
    expect(await panel.end('SIGTERM')).toBe(0);
    // After a crash and a container restart, both locks may contain the PID of another process of the
    // same user.
    const bystander = spawn('sleep', ['60'], { uid: 65534, gid: 65534 });
    onTestFinished(() => void bystander.kill());
    const lock = `${bystander.pid}\n${env.DATA_DIR}/postgres\n1\n5432\n`;
    for (const name of ['postgres/postmaster.pid', 'run/.s.PGSQL.5432.lock']) {
      writeFileSync(join(env.DATA_DIR, name), lock);
      chownSync(join(env.DATA_DIR, name), 65534, 65534);
    }
    // Root can take over the cluster of the user.
    const taken = await startPanel(env);
    expect(statSync(`/proc/${postmasterPid(env.DATA_DIR)}`).uid).toBe(65534);
    expect(await taken.end('SIGTERM')).toBe(0);
  });

  it('never removes the lock of a running server, even if it cannot inspect its processes', async () => {
    const { env } = dataDirs.copy();
    // As in a container, where root cannot inspect processes of other users.
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

  it('accepts a backup restored without its owners', async () => {
    const { env } = dataDirs.copy({ keepsOwners: false });
    expect(statSync(join(env.DATA_DIR, 'postgres')).uid).toBe(0);
    const { code, stdout, stderr } = await steward(['license', 'list', '--json'], env);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  it('copies programs that only root can reach', async () => {
    const binaries = await locateBinaries();
    const run = (command: string) =>
      execFileSync(command, ['--version'], { uid: 65534, gid: 65534, cwd: '/' }).toString();
    const account = chooseOsAccount('/', '/nowhere');
    const copies = binariesFor({ ...account, canReach: () => false }, binaries);
    expect(copies.postgres).not.toBe(binaries.postgres);
    for (const copy of Object.values(copies)) expect(run(copy)).toContain('PostgreSQL');
  });
});
