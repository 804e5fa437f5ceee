import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createSiteAgent } from '@steward/agent/agent.ts';
import { PLUGINS } from '@steward/conformance/site-under-test.ts';
import { findFreePort } from '@steward/testkit/free-port.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { prepareSiteFolder } from '@steward/testkit/sites/conformance-folder.ts';
import {
  createMemoryOptions,
  createMemoryPlatform,
} from '@steward/testkit/sites/memory-platform.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { expect, it, onTestFinished } from 'vitest';

const AGENT = join(import.meta.dirname, '../packages/agent/src/main.ts');

/** Starts the agent from the command line and waits until it is ready. */
async function startAgent(args: string[]) {
  const child = spawn(process.execPath, [AGENT, '--port', '0', ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += chunk;
        const address = /available at (\S+)/.exec(printed)?.[1];
        if (address) resolve(address);
      });
    }
    child.once('exit', () => reject(new Error(printed)));
  });
  return { url, child, printed: () => printed };
}

it('a site on disk is activated, reports, is updated and reconnects after a restart', async () => {
  const database = await usePanelDatabase();
  const { env } = database;
  const panel = await startPanel(env);
  const { id, license_key } = await database.newLicense({ siteLimit: 1 });
  const { root, feed, readState } = await prepareSiteFolder(join(temporaryFolder(), 'shop'), {
    updates: 'one_corrupt',
  });
  const siteRow = () => database.db.selectFrom('sites').selectAll().executeTakeFirstOrThrow();
  const storedPlugin = async () =>
    (await siteRow()).inventory?.plugins.find(({ plugin }) => plugin === PLUGINS.good.file);
  const lastReport = async () => (await siteRow()).inventory_at?.getTime() ?? 0;

  const site = ['--root', root, '--feed', feed];
  const agent = await startAgent([...site, '--panel', panel.url, '--key', license_key]);
  await expect
    .poll(storedPlugin, { timeout: 20_000 })
    .toMatchObject({ version: '1.0', new_version: '1.1' });
  const { activations } = JSON.parse(
    (await steward(['license', 'show', String(id), '--json'], env)).stdout,
  );
  expect(activations).toEqual([
    expect.objectContaining({ status: 'active', counted: false, cms_version: '6.0' }),
  ]);

  const owner = await signInAt(panel.url, await database.newUser());
  const { body } = await owner.post(
    '/remote/update',
    { site_ids: [(await siteRow()).id] },
    { headers: { prefer: 'wait=60' } },
  );
  expect(body.results).toMatchObject([{ status: 'partial', plugins: { updated: 3, failed: 1 } }]);
  expect((await readState()).plugins).toMatchObject({
    [PLUGINS.good.file]: '1.1',
    [PLUGINS.corrupt.file]: '1.0',
  });
  // The site reports before it responds, so the panel already has the state on disk.
  expect(await storedPlugin()).toMatchObject({ version: '1.1', active: true });

  agent.child.kill('SIGTERM');
  expect((await once(agent.child, 'exit'))[0]).toBe(0);
  // The second start needs neither --panel nor --key: the site has stored both.
  const reportedAt = await lastReport();
  const again = await startAgent(site);
  expect(again.url).toBe(agent.url);
  await expect.poll(lastReport, { timeout: 20_000 }).toBeGreaterThan(reportedAt);
  expect(again.printed()).not.toContain('Not connected');
  again.child.kill('SIGTERM');
  await once(again.child, 'exit');
  expect(await panel.end('SIGTERM')).toBe(0);
});

it('an agent activates, checks in, reports and deactivates with a real panel', async () => {
  const { env } = await usePanelDatabase();
  const panel = await startPanel(env);
  const license = async (...args: string[]) =>
    JSON.parse((await steward(['license', ...args, '--json'], env)).stdout);
  const { id, license_key } = await license('create', '--plan', 'Agency', '--site-limit', '1');
  const platform = createMemoryPlatform({ plugins: {}, themes: {}, core: { version: '6.0' } });
  const options = createMemoryOptions();
  const agent = createSiteAgent({ platform, options, siteUrl: 'https://shop.example.com' });

  await agent.panelClient.activate(panel.url, license_key);
  expect(await options.read()).toMatchObject({
    service_license_key: expect.stringMatching(/^STWS-/),
    service_enabled_services: ['remote'],
    activation_token: expect.stringMatching(/^stwt_/),
    license_valid: true,
  });
  const seconds = await agent.panelClient.check();
  expect(seconds).toBeGreaterThan(10 * 3600);
  expect(seconds).toBeLessThan(27 * 3600);
  await agent.reportInventory();
  const shown = await license('show', String(id));
  expect(shown.activations[0]).toMatchObject({
    status: 'active',
    last_check_at: expect.any(String),
  });

  await license('suspend', String(id));
  await expect(agent.panelClient.check()).rejects.toThrow('suspended');
  expect((await options.read()).license_valid).toBe(false);
  await license('resume', String(id));
  await agent.panelClient.check();
  expect((await options.read()).license_valid).toBe(true);

  await agent.panelClient.deactivate();
  expect((await options.read()).service_license_key).toBeNull();
  expect((await license('show', String(id))).sites_used).toBe(0);
  expect(await panel.end('SIGTERM')).toBe(0);
});

it('the agent prints the address, the reason and the next step in one line when it cannot connect', async () => {
  const panelUrl = `http://127.0.0.1:${await findFreePort()}`;
  const { root, feed } = await prepareSiteFolder(join(temporaryFolder(), 'shop'), {
    updates: 'none',
  });
  const args = ['--root', root, '--feed', feed, '--port', '0', '--panel', panelUrl, '--key', 'x'];
  const child = spawn(process.execPath, [AGENT, ...args]);
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = await once(child, 'close');
  expect([code, errors]).toEqual([
    1,
    `steward-agent: Could not reach the panel at ${panelUrl}. The connection was refused. Check the address, and that the panel is running.\n`,
  ]);
});
