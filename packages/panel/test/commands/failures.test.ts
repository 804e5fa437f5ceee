import { steward as runSteward } from '@steward/testkit/panel/steward-command.ts';
import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { describe, expect, it } from 'vitest';

describe('npx steward, on failure', () => {
  const { env, steward, json, createLicense } = useCommandLine();

  describe('prints one line', () => {
    it('for an unreachable database', async () => {
      const url = 'postgres://steward:wrong@127.0.0.1:1/none';
      const failed = await runSteward(['license', 'list'], { ...env, DATABASE_URL: url });
      expectFailure(failed, /DATABASE_URL/);
      expect(failed.stderr).not.toContain('wrong');
    });

    it('for a secret that does not match the database', async () => {
      await json('license', 'list');
      const other = { ...env, SECRET_KEY: 'another secret of at least 32 characters' };
      expectFailure(await runSteward(['license', 'list'], other), /SECRET_KEY/);
    });

    it('with all errors in the environment variables', async () => {
      const bad = { ...env, PORT: 'eighty', SECRET_KEY: 'short', LOG_LEVEL: 'loud' };
      const failed = await runSteward(['license', 'list'], bad);
      expectFailure(failed, /PORT.*SECRET_KEY.*LOG_LEVEL/);
    });

    it('for an unknown or missing command', async () => {
      expectFailure(await steward('licence', 'list'), /unknown command.*Did you mean license\?/);
      expectFailure(await steward('license', 'lst'), /unknown command.*Did you mean list\?/);
      expectFailure(await steward('nonsense'), /unknown command 'nonsense'\. Use --help/);
      expectFailure(await steward('license'), /--help/);
      expectFailure(await steward(), /--help/);
    });

    it('without the license key when a key was given as id', async () => {
      const { license_key } = await createLicense();
      const failed = await steward('license', 'show', license_key);
      expectFailure(failed, /id of a license/);
      expect(failed.stderr).not.toContain(license_key);
    });
  });
});
