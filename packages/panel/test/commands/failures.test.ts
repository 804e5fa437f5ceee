import { steward as runSteward } from '@steward/testkit/panel/steward-command.ts';
import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
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
});
