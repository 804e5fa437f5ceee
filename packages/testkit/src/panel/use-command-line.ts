import { afterAll, beforeAll, expect } from 'vitest';
import { createPanelDatabase, type PanelDatabase } from './panel-database.ts';
import { type Finished, steward as runSteward } from './steward-command.ts';
import { OPERATOR, VERSIONS } from './test-panel.ts';

/** The `steward` command on a database that the tests of a file share. */
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
    create: (...more: string[]) =>
      json('license', 'create', '--plan', 'Pro', '--site-limit', '3', ...more),
    /** As a site does that comes under the license. */
    async activate(license_key: string, site_url: string) {
      const site = { license_key, site_url, ...VERSIONS };
      const answer = await database?.services.activations.activate(site, OPERATOR);
      if (!answer) throw new Error('There is no database.');
      return answer.activation;
    },
  };
}

/** A failure is one line on standard error, nothing on standard output, and exit code 1. */
export function expectFailure({ code, stdout, stderr }: Finished, message: RegExp): void {
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).toMatch(message);
}
