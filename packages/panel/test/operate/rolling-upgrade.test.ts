import { once } from 'node:events';
import { followRun, type RunEvent } from '@steward/testkit/panel/event-stream.ts';
import { createNewerBuild, NEWER_VERSION } from '@steward/testkit/panel/newer-build.ts';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { type Launcher, stewardProcess } from '@steward/testkit/panel/panel-process.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel, startWorker } from '@steward/testkit/panel/start-process.ts';
import { holdCalls } from '@steward/testkit/sites/hold-calls.ts';
import {
  createInBatches,
  type FleetSite,
  SHOP,
  startFleet,
} from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startLoad } from './support/load.ts';
import { startLoadBalancer } from './support/load-balancer.ts';

const SITES_PER_RUN = 4;
const SITES = 24;
const UPDATE_MS = 400;

const ADDS_COLUMN = {
  '9998_adds_a_column': `ALTER TABLE sites ADD COLUMN newer_note text NOT NULL DEFAULT '';
    ALTER TABLE run_tasks ADD COLUMN newer_note text;
    ALTER TABLE license_activations ADD COLUMN newer_note text;
    CREATE INDEX sites_by_newer_note ON sites (newer_note);`,
};

describe('a rolling upgrade under load', () => {
  it('fails no request and loses no task', { timeout: 300_000 }, async () => {
    const { database, env, balancer, newer, command } = await prepare(ADDS_COLUMN);
    const oldWorkers = [await startWorker(env), await startWorker(env)];
    const startWeb = async (port: number, launcher?: Launcher) => {
      const web = await startPanel(env, launcher, ['--role', 'web', '--port', String(port)]);
      await balancer.waitUntilUp(port);
      return web;
    };
    const oldWebs = await Promise.all(balancer.ports.map((port) => startWeb(port)));

    const { license_key } = await database.newLicense({ siteLimit: SITES + 3 });
    const fleet = await startFleet(balancer.url, license_key);
    onTestFinished(() => fleet.stop());
    const sites = await createInBatches(SITES, (index) => fleet.add(`s${index}`));
    for (const { state } of sites) state.updateMs = UPDATE_MS;
    const [slow, acting, reporting] = [
      await fleet.add('slow'),
      await fleet.add('acting'),
      await fleet.add('reporting'),
    ];
    const releaseSlow = holdCalls(slow);
    const owner = await signInAt(balancer.url, await database.newUser());
    const ids = await readSiteIds(owner);
    const idOf = (site: FleetSite) => ids.get(site.siteUrl) ?? 0;

    const runIds = [await startUpdate(owner, [idOf(slow)])];
    const stream = followUntilEnd(balancer.url, runIds[0] ?? 0, owner);
    await expect.poll(() => slow.calls).toEqual(['update']);
    const waiting = [...sites];
    let actions = 0;
    const load = startLoad({
      'license check': async () => void (await reporting.agent.panelClient.check()),
      report: () => reporting.agent.reportInventory(),
      'list of sites': async () => void (await owner.ask('GET', '/panel/sites?limit=50')),
      page: () => expectOk(`${balancer.url}/`),
      'new run': async () => {
        const chosen = waiting.splice(0, SITES_PER_RUN).map(idOf);
        if (chosen.length > 0) runIds.push(await startUpdate(owner, chosen));
        else await owner.ask('GET', '/panel/runs');
      },
      'plugin action': async () => {
        const action = actions % 2 === 0 ? 'deactivate' : 'activate';
        await owner.ask('POST', '/remote/plugin-action', {
          ...{ site_id: idOf(acting), plugin: SHOP, action },
        });
        actions++;
      },
    });

    expect(await command('migrate')).toMatchObject({
      code: 0,
      stdout: 'Applied migration 9998_adds_a_column.\n',
    });
    for (const worker of oldWorkers) {
      worker.kill('SIGTERM');
      expect((await once(worker, 'exit'))[0]).toBe(0);
      await startWorker(env, newer);
    }
    releaseSlow();
    for (const [index, port] of balancer.ports.entries()) {
      expect(await oldWebs[index]?.end('SIGTERM')).toBe(0);
      await startWeb(port, newer);
    }

    await load.stop();
    expect(load.failures).toEqual([]);
    for (const count of Object.values(load.counts)) expect(count).toBeGreaterThan(5);
    const updated = sites.slice(0, sites.length - waiting.length);
    for (const runId of runIds) await expectSucceeded(owner, runId);
    for (const { name, state, calls } of [...updated, slow]) {
      expect([name, state.plugins[SHOP]?.version]).toEqual([name, '2.0']);
      expect([name, calls.filter((call) => call === 'update').length]).toEqual([name, 1]);
    }
    for (const { name, inFlight } of updated) expect([name, inFlight.most]).toEqual([name, 1]);
    // The worker of this call stopped before the site responded, so another worker reconciled.
    expect(slow.calls).toContain('sync');
    expect(acting.calls).toHaveLength(actions);
    expect(acting.state.plugins[SHOP]?.active).toBe(actions % 2 === 0);
    expect((await stream).at(-1)?.event).toBe('end');
    expect(await command('audit', 'verify')).toMatchObject({ code: 0 });
  });
});

describe('a migration that breaks older versions', () => {
  const name = '9999_breaks_older_versions';
  const statements = '-- breaks older versions\nALTER TABLE schedules RENAME COLUMN name TO title;';

  it('runs only while no process is running; afterwards, older versions do not start', async () => {
    const { env, command } = await prepare({ [name]: statements });
    expect((await command('migrate', '--plan')).stdout).toBe(
      `${name}  Stop all processes of older versions first.\n`,
    );
    const panel = await startPanel(env);
    const refused = await command('migrate');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Stop all panel')]);
    expect((await panel.get('/readyz')).status).toBe(200);
    expect(await panel.end('SIGINT')).toBe(0);

    expect(await command('migrate')).toMatchObject({ code: 0 });
    const started = await stewardProcess(['serve', '--port', '0'], env);
    expect([started.code, started.stderr]).toEqual([
      1,
      expect.stringContaining(`A newer version of Steward has changed the database (${name})`),
    ]);
  });
});

describe('a newer queue', () => {
  it('works with running and with restarted processes of an older version', async () => {
    const database = await usePanelDatabase();
    const { env } = database;
    const panel = await startPanel(env);
    const { license_key } = await database.newLicense();
    const fleet = await startFleet(panel.url, license_key);
    onTestFinished(() => fleet.stop());
    const site = await fleet.add('site');
    const credentials = await database.newUser();
    const expectSync = async (url: string) => {
      const owner = await signInAt(url, credentials);
      const run = await owner.ask('POST', '/panel/sites/sync', { site_ids: [1] });
      expect(run).toMatchObject({ status: 'finished', counts: { succeeded: 1 } });
    };
    await expectSync(panel.url);
    // As a migration of pg-boss does. The worker has prepared statements for these tables.
    await database.executeAsTableOwner(`ALTER TABLE pgboss.job ADD COLUMN newer_note text;
      ALTER TABLE pgboss.queue ADD COLUMN newer_note text;
      UPDATE pgboss.version SET version = version + 1`);
    await expectSync(panel.url);
    expect(await panel.end('SIGINT')).toBe(0);
    const restarted = await startPanel(env);
    await site.options.write({ service_panel_url: restarted.url });
    await expectSync(restarted.url);
  });
});

async function prepare(migrations: Record<string, string>) {
  const database = await usePanelDatabase();
  const balancer = await startLoadBalancer();
  const newer = createNewerBuild(migrations);
  const env: NodeJS.ProcessEnv = {
    ...database.env,
    MIGRATION_DATABASE_URL: database.ownerUrl,
    BASE_URL: balancer.url,
    TRUST_PROXY: '127.0.0.1',
    SITE_CALLS_PER_ADDRESS: '10',
    DRAIN_SECONDS: '4',
  };
  const command = (...args: string[]) => stewardProcess(args, env, '', newer);
  expect(await command('--version')).toMatchObject({ stdout: `${NEWER_VERSION}\n` });
  return { database, balancer, env, newer, command };
}

async function readSiteIds(owner: PanelClient): Promise<Map<string, number>> {
  type Page = { sites: { id: number; url: string }[] };
  const { sites } = await owner.ask<Page>('GET', '/panel/sites?limit=200');
  return new Map(sites.map(({ id, url }) => [url, id]));
}

async function startUpdate(owner: PanelClient, siteIds: number[]): Promise<number> {
  const { run_id } = await owner.ask<{ run_id: number }>(
    ...(['POST', '/remote/update', { site_ids: siteIds }] as const),
    { headers: { prefer: 'respond-async' } },
  );
  return run_id;
}

async function expectOk(url: string): Promise<void> {
  const response = await fetch(url);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
}

async function expectSucceeded(owner: PanelClient, runId: number): Promise<void> {
  type Run = { status: string; results: { status: string }[] };
  const read = () => owner.ask<Run>('GET', `/panel/runs/${runId}`);
  await expect.poll(async () => (await read()).status, { timeout: 120_000 }).toBe('finished');
  const { results } = await read();
  expect([runId, ...results.map(({ status }) => status)]).toEqual([
    runId,
    ...results.map(() => 'succeeded'),
  ]);
}

/** Connects again after each end of the stream, as a browser does. */
async function followUntilEnd(url: string, runId: number, { cookie }: PanelClient) {
  const events: RunEvent[] = [];
  while (events.at(-1)?.event !== 'end') {
    const lastEventId = events.findLast(({ id }) => !Number.isNaN(id))?.id;
    events.push(...(await (await followRun(url, runId, { cookie, lastEventId })).all()));
  }
  return events;
}
