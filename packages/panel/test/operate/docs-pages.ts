import { join } from 'node:path';
import { findFreePort } from '@steward/testkit/free-port.ts';
import { registerSecret } from '@steward/testkit/logs.ts';
import { createPanelDatabase } from '@steward/testkit/panel/panel-database.ts';
import { createRestoreTarget, environmentOf } from '@steward/testkit/panel/restored-database.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { OPERATOR, TEST_SECRET, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { expect, onTestFinished } from 'vitest';

type Prepared = {
  env: NodeJS.ProcessEnv;
  /** Texts on the page that stand for something of the reader, and their values in this test. */
  replacements: [printed: string, real: string][];
  assertResult?: (output: string) => Promise<void>;
};

/** The pages with commands, and what their text asks the reader to do first. */
export const PAGES: Record<string, (folder: string) => Promise<Prepared>> = {
  'docs/agent.md': prepareAgentPage,
  'docs/api.md': prepareApiPage,
  'docs/coming-from-mainwp.md': prepareLicensePage,
  'docs/getting-started.md': prepareNewPanelPage,
  'docs/install.md': prepareInstallPage,
  'docs/licensing.md': prepareLicensePage,
  'docs/operate.md': prepareOperatePage,
};

async function useDatabase() {
  const database = await createPanelDatabase();
  onTestFinished(() => database.drop());
  return database;
}

async function prepareAgentPage(folder: string): Promise<Prepared> {
  const { env, newLicense } = await useDatabase();
  const panel = await startPanel(env);
  const { license_key } = await newLicense({ siteLimit: 3 });
  const port = await findFreePort();
  return {
    env,
    replacements: [
      ['/tmp/shop', join(folder, 'shop')],
      ['STWD-…', license_key],
      ['--site-url http://127.0.0.1:8090', `--port ${port} --site-url http://127.0.0.1:${port}`],
      ['http://localhost:8080', panel.url],
    ],
    async assertResult() {
      const { stdout } = await steward(['site', 'list', '--json'], env);
      expect(stdout).toContain(`http://127.0.0.1:${port}`);
    },
  };
}

async function prepareApiPage(): Promise<Prepared> {
  const { env, newLicense, newUser, services } = await useDatabase();
  const panel = await startPanel(env);
  const { license_key } = await newLicense();
  for (const name of ['one', 'two']) {
    const site = { license_key, site_url: `https://${name}.example.com`, ...VERSIONS };
    await services.activations.activate(site, OPERATOR);
  }
  const { email } = await newUser();
  const token = ['token', 'create', '--user', email, '--name', 'docs', '--role', 'owner'];
  const actions = ['--actions', 'read,update', '--json'];
  const { stdout } = await steward([...token, ...actions], env);
  const secret = /stw_pat_[\w-]+/.exec(stdout)?.[0] ?? '';
  registerSecret(secret);
  return {
    env,
    replacements: [
      ['https://panel.example.com', panel.url],
      ['STWD-…', license_key],
      ['stw_pat_…', secret],
      ['olga@example.com', email],
    ],
    async assertResult(output) {
      expect(output).toContain('"valid":true');
      expect(output).toContain('"run_id":1');
    },
  };
}

async function prepareInstallPage(folder: string): Promise<Prepared> {
  const { env } = await useDatabase();
  const panel = await startPanel(env);
  const token = (await panel.setupLink()).split('#token=')[1] ?? '';
  registerSecret(token);
  const other = await createRestoreTarget();
  return {
    env: other.env,
    replacements: [
      ['/var/lib/steward', join(folder, 'data')],
      ['https://panel.example.com/panel/setup', `${panel.url}/panel/setup`],
      ['stwl_…', token],
      ['postgres://steward:…@db.internal/steward', other.ownerUrl],
      ['postgres://steward_app:…@db.internal/steward', other.runtimeUrl],
      ['SECRET_KEY=…', `SECRET_KEY='${TEST_SECRET}'`],
    ],
    async assertResult() {
      const { stdout } = await steward(['user', 'list', '--json'], env);
      expect(JSON.parse(stdout)).toMatchObject([{ email: 'you@example.com', role: 'owner' }]);
    },
  };
}

async function prepareNewPanelPage(): Promise<Prepared> {
  const { env } = await useDatabase();
  return {
    env,
    replacements: [],
    async assertResult() {
      const { stdout } = await steward(['license', 'list', '--json'], env);
      expect(JSON.parse(stdout)).toMatchObject([{ plan: { name: 'Agency' }, site_limit: 50 }]);
    },
  };
}

async function prepareLicensePage(): Promise<Prepared> {
  const { env, newLicense } = await useDatabase();
  const { id } = await newLicense();
  return { env, replacements: [[' ID', ` ${id}`]] };
}

async function prepareOperatePage(folder: string): Promise<Prepared> {
  const database = await useDatabase();
  const { id } = await database.newLicense();
  const target = await createRestoreTarget();
  const move = Object.entries(target.env).map(([name, value]) => `${name}='${value}'`);
  return {
    env: environmentOf(database),
    replacements: [
      ['/var/backups', folder],
      // The new, empty panel of the steps above the block.
      ['npx steward restore', `export ${move.join(' ')}; npx steward restore`],
      [' ID', ` ${id}`],
      ['postgres://steward:…@db.internal/steward', target.ownerUrl],
      ['postgres://steward_app:…@db.internal/steward', target.runtimeUrl],
    ],
  };
}
