import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { registerSecret } from '@steward/testkit/logs.ts';
import { bareEnvironment, STEWARD } from '@steward/testkit/panel/panel-process.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { SHOP, startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { expect, it, onTestFinished } from 'vitest';

type Env = NodeJS.ProcessEnv;

/** Starts a panel process with one site, whose calls wait until `open`, and an access token. */
async function startFixture() {
  const database = await usePanelDatabase();
  const panel = await startPanel(database.env);
  const { license_key } = await database.newLicense();
  const fleet = await startFleet(panel.url, license_key);
  onTestFinished(() => fleet.stop());
  const site = await fleet.add('shop');
  const gate = Promise.withResolvers<void>();
  site.gate.opens = gate.promise;
  const { email } = await database.newUser();
  const { id } = await database.services.users.findByEmail(email);
  const { secret } = await database.services.accessTokens.create(
    id,
    { name: 'cli', role: 'owner', actions: ['read', 'update'] },
    OPERATOR,
  );
  registerSecret(secret);
  const remote: Env = { STEWARD_URL: panel.url, STEWARD_TOKEN: secret };
  return { env: database.env as Env, panel, site, remote, open: gate.resolve };
}

async function startUpdate(env: Env, url: string): Promise<string> {
  const { stdout } = await steward(['site', 'update', url, '--yes', '--json'], env);
  return String(JSON.parse(stdout).run.run_id);
}

/** Starts `steward run watch` as a process and waits until it has shown the run. */
async function startWatching(env: Env, runId: string) {
  const child = spawn(STEWARD, ['run', 'watch', runId], { env: { ...bareEnvironment(), ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => code as number);
  await expect.poll(() => output.stdout).toContain('0 of 1 site finished');
  return { child, output, ended };
}

it('npx steward run watch continues after the panel was killed and started again', async () => {
  const { env, panel, site, remote, open } = await startFixture();
  const runId = await startUpdate(remote, site.siteUrl);
  await expect.poll(() => site.calls).toContain('update');
  const watching = await startWatching(remote, runId);
  const local = await startWatching(env, runId);
  await panel.end('SIGKILL');
  await expect.poll(() => watching.output.stdout).toContain('Connection lost, trying again.');
  open();
  const again = await startPanel(env, undefined, ['--port', new URL(panel.url).port]);
  expect(again.url).toBe(panel.url);
  // The answer was lost with the killed worker, so another worker asks the site for the result.
  expect(await watching.ended).toBe(0);
  expect(watching.output.stdout).toContain('1 of 1 site finished: 1 succeeded.');
  expect([await local.ended, watching.output.stderr]).toEqual([0, '']);
  expect(site.state.plugins[SHOP]?.version).toBe('2.0');
});

it('Ctrl+C ends the watching with 130, and not the run', async () => {
  const { env, site, remote, open } = await startFixture();
  const runId = await startUpdate(remote, site.siteUrl);
  for (const settings of [remote, env]) {
    const { child, output, ended } = await startWatching(settings, runId);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(output.stderr).toBe(
      `The run continues. To watch it again: steward run watch ${runId}\n`,
    );
  }
  open();
  const watched = await steward(['run', 'watch', runId], remote);
  expect([watched.code, watched.stderr]).toEqual([0, '']);
});

it('reports that a run waits for a worker', async () => {
  const { env, panel, site, remote, open } = await startFixture();
  open();
  expect(await panel.end('SIGTERM')).toBe(0);
  const started = await steward(['site', 'update', site.siteUrl, '--yes'], env);
  expect([started.code, started.stderr]).toEqual([
    0,
    'The run waits until a worker is running. To start one: steward serve\n',
  ]);
  const runId = /Started run (\d+)/.exec(started.stdout)?.[1] ?? '';
  await startPanel(env, undefined, ['--port', new URL(panel.url).port]);
  expect((await steward(['run', 'watch', runId], remote)).code).toBe(0);
});
