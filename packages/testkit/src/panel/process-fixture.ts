import { expect, onTestFinished } from 'vitest';
import { createInBatches, SHOP, startFleet } from '../sites/site-fleet.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { signInAt } from './panel-client.ts';
import { createPanelDatabase, type PanelDatabase } from './panel-database.ts';
import { startPanel, startWorker } from './start-process.ts';
import { steward } from './steward-command.ts';

type ProcessDatabase = Pick<PanelDatabase, 'newUser'> & {
  env: NodeJS.ProcessEnv;
  newLicense(input: { siteLimit: number }): Promise<{ license_key: string }>;
};

type FixtureOptions = {
  path?: '/remote/update' | '/panel/sites/sync';
  /** Defaults to a new database on the shared PostgreSQL. */
  database?: ProcessDatabase;
};

/** The shortest lease that the queue allows. When it ends, another worker takes over the tasks of a killed worker. */
const LEASE = { WORKER_LEASE_SECONDS: '10' };
const CALLS_AT_ONCE = 4;
/** Some batches of calls: a test stops processes after the first ones. */
const SITES = 6 * CALLS_AT_ONCE;
const LIMITS = {
  SITE_CALLS_AT_ONCE: String(CALLS_AT_ONCE),
  SITE_CALLS_PER_ADDRESS: String(CALLS_AT_ONCE),
};

/** Creates a database for panel and worker processes. Drops it when the test ends. */
export async function usePanelDatabase() {
  const database = await createPanelDatabase();
  onTestFinished(() => database.drop());
  return { ...database, env: { ...database.env, ...LEASE } };
}

/** Sets up the embedded database with `steward` commands, for tests that kill it. */
export function useEmbeddedDatabase() {
  const dataDir = temporaryFolder();
  const env = { DATA_DIR: dataDir, ALLOW_PRIVATE_SITES: 'true', PING_MINUTES: '0', ...LEASE };
  const run = async (...args: string[]) =>
    JSON.parse((await steward([...args, '--json'], env)).stdout);
  return {
    dataDir,
    env,
    newLicense: ({ siteLimit }: { siteLimit: number }) =>
      run('license', 'create', '--plan', 'Agency', '--site-limit', String(siteLimit)),
    async newUser() {
      const email = 'owner@example.com';
      const { password } = await run('user', 'create', '--email', email, '--role', 'owner');
      return { email, password };
    },
  };
}

/** Starts a panel and a worker as processes, and a run over many slow sites. */
export async function startProcessFixture(options: FixtureOptions = {}) {
  const { path = '/remote/update' } = options;
  const database = options.database ?? (await usePanelDatabase());
  const env: NodeJS.ProcessEnv = { ...database.env, ...LIMITS };
  const panel = await startPanel(env, undefined, ['--role', 'web']);
  const worker = await startWorker(env);
  const { license_key } = await database.newLicense({ siteLimit: SITES });
  const fleet = await startFleet(panel.url, license_key);
  onTestFinished(() => fleet.stop());
  const sites = await createInBatches(SITES, (index) => fleet.add(`s${index}`));
  for (const site of sites) {
    site.state.updateMs = 300;
    if (path === '/panel/sites/sync') site.faults.latencyMs = 300;
  }
  const owner = await signInAt(panel.url, await database.newUser());
  const ids = Array.from({ length: SITES }, (_, index) => index + 1);
  const { status, body } = await owner.post(
    path,
    { site_ids: ids },
    { headers: { prefer: 'respond-async' } },
  );
  expect(status).toBe(202);
  const readRun = async () => (await owner.get(`/panel/runs/${body.run_id}?limit=1`)).body;
  return { env, panel, worker, sites, owner, runId: body.run_id as number, readRun };
}

export type ProcessFixture = Pick<
  Awaited<ReturnType<typeof startProcessFixture>>,
  'sites' | 'owner' | 'runId' | 'readRun'
>;

/** By default, waits until the worker is in the middle of a run: some tasks have ended, some run, most are queued. */
export const waitForSucceededTasks = ({ readRun }: ProcessFixture, atLeast = 6) =>
  expect
    .poll(async () => (await readRun()).counts.succeeded ?? 0, { timeout: 180_000, interval: 100 })
    .toBeGreaterThanOrEqual(atLeast);

export async function waitUntilFinished({ owner, runId, readRun }: ProcessFixture) {
  await expect
    .poll(async () => (await readRun()).status, { timeout: 180_000, interval: 500 })
    .toBe('finished');
  return (await owner.get(`/panel/runs/${runId}`)).body.results;
}

/**
 * Waits until every task has ended, then compares each status with the version on the site, and checks that no site got
 * two update calls.
 */
export async function expectStatusesMatchSites(fixture: ProcessFixture) {
  const { sites } = fixture;
  const results = await waitUntilFinished(fixture);
  expect(results).toHaveLength(sites.length);
  for (const { site_url, status } of results) {
    const site = sites.find(({ siteUrl }) => siteUrl === site_url);
    const isUpdated = site?.state.plugins[SHOP]?.version === '2.0';
    expect([site_url, status]).toEqual([site_url, isUpdated ? 'succeeded' : 'failed']);
    expect(site?.inFlight.most).toBeLessThanOrEqual(1);
    expect(site?.calls.filter((call) => call === 'update').length).toBeLessThanOrEqual(1);
  }
  const succeeded = results.filter(({ status }: { status: string }) => status === 'succeeded');
  // Only tasks with a call in flight may fail.
  expect(succeeded.length).toBeGreaterThanOrEqual(sites.length - 2 * CALLS_AT_ONCE);
}
