import { afterAll, beforeAll, expect } from 'vitest';
import { createTestDatabase } from '../postgres/test-database.ts';
import { type Finished, steward as runSteward } from './steward-command.ts';
import { TEST_SECRET } from './test-panel.ts';

/** The `steward` command on a database that the tests of a file share. */
export function useCommandLine() {
  const env: NodeJS.ProcessEnv = { SECRET_KEY: TEST_SECRET };
  let drop = async () => {};
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    env.DATABASE_URL = database.url;
  });
  afterAll(() => drop());

  const steward = (...args: string[]) => runSteward(args, env);
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await steward(...args, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  const create = (...more: string[]) =>
    json('license', 'create', '--plan', 'Pro', '--site-limit', '3', ...more);
  const withInput = (input: string, ...args: string[]) => runSteward(args, env, input);
  return { env, steward, withInput, json, create };
}

/** A failure is one line on standard error, nothing on standard output, and exit code 1. */
export function expectFailure({ code, stdout, stderr }: Finished, message: RegExp): void {
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).toMatch(message);
}
