import { spawnSync } from 'node:child_process';
import { registerSecret } from '@steward/testkit/logs.ts';
import { bareEnvironment, STEWARD, stewardProcess } from '@steward/testkit/panel/panel-process.ts';
import { newPassword } from '@steward/testkit/panel/signed-in-user.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

/** Tests that need a real process; test/commands has the others. */
describe('npx steward as a process', () => {
  const { env, json } = useCommandLine();
  const jsonOfProcess = async (...args: string[]) => {
    const { code, stdout, stderr } = await stewardProcess([...args, '--json'], env);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };

  it('prints its version and help and exits with 0', async () => {
    const version = await stewardProcess(['--version'], env);
    expect(version).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
    const help = await stewardProcess(['license', '--help'], env);
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toMatch(/^Usage: steward license /);
  });

  it.each(['audit verify', 'migrate'])('prints exactly one JSON document: %s', async (command) => {
    expect(await jsonOfProcess(...command.split(' '))).toBeTypeOf('object');
  });

  it.each(['license list', 'plan list', 'service list', 'user list', 'audit list'])(
    'prints exactly one JSON document, run in this process: %s',
    async (command) => {
      expect(await json(...command.split(' '))).toBeTypeOf('object');
    },
  );

  it('exits with 1 and one line for an unknown command', async () => {
    expectFailure(await stewardProcess(['licence', 'list'], env), /unknown command/);
  });

  it('disables and enables a user of a running panel, and resets the password; a second panel exits with 1 and one line', async () => {
    const email = 'owner@example.com';
    const { password } = await json('user', 'create', '--email', email, '--role', 'owner');
    registerSecret(password);
    const panel = await startPanel(env);
    const port = new URL(panel.url).port;
    const second = await stewardProcess(['serve', '--port', port], { ...env, LOG_LEVEL: 'silent' });
    expectFailure(second, new RegExp(`Port ${port} .* already in use`));
    const signIn = async (secret: string) =>
      (await panel.post('/auth/sign-in/email', { email, password: secret })).status;
    await json('user', 'create', '--email', 'other@example.com', '--role', 'owner').then((other) =>
      registerSecret(other.password),
    );
    expect(await signIn(password)).toBe(200);
    expect(await json('user', 'disable', email.toUpperCase())).toMatchObject({ disabled: true });
    expect(await signIn(password)).toBe(403);
    expect(await json('user', 'enable', email)).toMatchObject({ disabled: false });
    expect(await signIn(password)).toBe(200);
    const reset = await json('user', 'reset-password', email);
    registerSecret(reset.password);
    const GENERATED = /^[a-z2-9]{5}(-[a-z2-9]{5}){4}$/;
    expect(reset).toMatchObject({ email, password: expect.stringMatching(GENERATED) });
    expect([await signIn(password), await signIn(reset.password)]).toEqual([401, 200]);
    const chosen = newPassword();
    const args = ['user', 'reset-password', email, '--password-stdin'];
    const given = await stewardProcess(args, env, chosen);
    expect([given.code, given.stdout]).toEqual([0, expect.not.stringContaining(chosen)]);
    expect(await signIn(chosen)).toBe(200);
    expect(await panel.end('SIGTERM')).toBe(0);
  });

  it('reports an output error, because the key would be lost', async () => {
    const command = `"${STEWARD}" license create --plan Pro --site-limit 1 > /dev/full`;
    const ran = spawnSync('sh', ['-c', command], {
      env: { ...bareEnvironment(), ...env },
      encoding: 'utf8',
    });
    expect([ran.status, ran.stderr]).toEqual([
      1,
      expect.stringContaining('Could not write the output'),
    ]);
  });

  it('ignores a closed pipe', async () => {
    const command = `"${STEWARD}" license list --json | true; echo "$?"`;
    const ran = spawnSync('sh', ['-c', command], {
      env: { ...bareEnvironment(), ...env },
      encoding: 'utf8',
    });
    expect([ran.stdout, ran.stderr]).toEqual(['0\n', '']);
  });

  it('creates its secret on first use and keeps it', async () => {
    const database = await createTestDatabase();
    const fileEnv = { DATABASE_URL: database.url, DATA_DIR: temporaryFolder() };
    const first = await stewardProcess(
      ['license', 'create', '--plan', 'P', '--site-limit', '1', '--json'],
      fileEnv,
    );
    const { license_key } = JSON.parse(first.stdout);
    const panel = await startPanel(fileEnv);
    expect((await panel.post('/api/v1/license/validate', { license_key })).status).toBe(200);
    expect(await panel.end('SIGTERM')).toBe(0);
    await database.drop();
  });
});
