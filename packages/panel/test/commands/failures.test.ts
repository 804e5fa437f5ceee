import { spawnSync } from 'node:child_process';
import { bareEnvironment, STEWARD } from '@steward/testkit/panel/panel-process.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward as runSteward } from '@steward/testkit/panel/steward-command.ts';
import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it } from 'vitest';

describe('npx steward, when something is wrong', () => {
  const { env, steward, json, create } = useCommandLine();

  describe('what goes wrong is one line', () => {
    it('for a database that is not there', async () => {
      const url = 'postgres://steward:wrong@127.0.0.1:1/none';
      const failed = await runSteward(['license', 'list'], { ...env, DATABASE_URL: url });
      expectFailure(failed, /DATABASE_URL/);
      expect(failed.stderr).not.toContain('wrong');
    });

    it('for another secret than the database was set up with', async () => {
      await json('license', 'list');
      const other = { ...env, SECRET_KEY: 'another secret of at least 32 characters' };
      expectFailure(await runSteward(['license', 'list'], other), /SECRET_KEY/);
    });

    it('for an environment with several faults, naming them all', async () => {
      const bad = { ...env, PORT: 'eighty', SECRET_KEY: 'short', LOG_LEVEL: 'loud' };
      const failed = await runSteward(['license', 'list'], bad);
      expectFailure(failed, /PORT.*SECRET_KEY.*LOG_LEVEL/);
    });

    it('for a port that is taken', async () => {
      const panel = await startPanel(env);
      const port = new URL(panel.url).port;
      const second = await runSteward(['serve', '--port', port], { ...env, LOG_LEVEL: 'silent' });
      expectFailure(second, new RegExp(`Port ${port} .* taken`));
      expect(await panel.end('SIGTERM')).toBe(0);
    });

    it('for a command it does not know, or none', async () => {
      expectFailure(await steward('licence', 'list'), /unknown command/);
      expectFailure(await steward('license', 'lst'), /unknown command/);
      expectFailure(await steward('license'), /--help/);
      expectFailure(await steward(), /--help/);
    });

    it('without the key that somebody gave for an id', async () => {
      const { license_key } = await create();
      const failed = await steward('license', 'show', license_key);
      expectFailure(failed, /number of a license/);
      expect(failed.stderr).not.toContain(license_key);
    });
  });

  it('says so when its output could not be written: the key would be lost', async () => {
    const command = `"${STEWARD}" license create --plan Pro --site-limit 1 > /dev/full`;
    const ran = spawnSync('sh', ['-c', command], {
      env: { ...bareEnvironment(), ...env },
      encoding: 'utf8',
    });
    expect([ran.status, ran.stderr]).toEqual([1, expect.stringContaining('could not be written')]);
  });

  it('does not mind when nobody reads to the end', async () => {
    const command = `"${STEWARD}" license list --json | true; echo "$?"`;
    const ran = spawnSync('sh', ['-c', command], {
      env: { ...bareEnvironment(), ...env },
      encoding: 'utf8',
    });
    expect([ran.stdout, ran.stderr]).toEqual(['0\n', '']);
  });

  it('makes its secret on first use and keeps it', async () => {
    const database = await createTestDatabase();
    const fileEnv = { DATABASE_URL: database.url, DATA_DIR: temporaryFolder() };
    const first = await runSteward(
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
