import { afterAll, beforeAll, expect } from 'vitest';
import { createPanelDatabase, type PanelDatabase } from './panel-database.ts';
import { type CommandResult, steward as runSteward } from './steward-command.ts';
import { OPERATOR, VERSIONS } from './test-panel.ts';

/** Runs `steward` commands on one database for all tests of a file. */
export function useCommandLine() {
  const env: NodeJS.ProcessEnv = {};
  let database: PanelDatabase | undefined;
  beforeAll(async () => {
    database = await createPanelDatabase();
    Object.assign(env, database.env);
  });
  afterAll(() => database?.drop());

  const steward = (...args: string[]) => runSteward(args, env);
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await steward(...args, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  return {
    env,
    steward,
    json,
    withInput: (input: string, ...args: string[]) => runSteward(args, env, input),
    createLicense: (...args: string[]) =>
      json('license', 'create', '--plan', 'Pro', '--site-limit', '3', ...args),
    /** Changes the database directly. */
    query: async (text: string, values: unknown[]) => database?.pool.query(text, values),
    /** Activates the license on a site. */
    async activate(
      license_key: string,
      site_url: string,
      details: { capabilities?: string[] } = {},
    ) {
      const site = { license_key, site_url, ...VERSIONS, ...details };
      const response = await database?.services.activations.activate(site, OPERATOR);
      if (!response) throw new Error('There is no database.');
      return response.activation;
    },
  };
}

/** Expects one line on standard error, no standard output and exit code 1. */
export function expectFailure({ code, stdout, stderr }: CommandResult, message: RegExp): void {
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).toMatch(message);
}
