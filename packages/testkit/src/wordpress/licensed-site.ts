import { CAPABILITIES, type Inventory, type Role } from '@steward/contract';
import { loadConfig } from '@steward/panel/program';
import type { Credentials } from '../panel/panel-client.ts';
import { createPanelDatabase } from '../panel/panel-database.ts';
import { launchPanel } from '../panel/panel-process.ts';
import { newPassword } from '../panel/signed-in-user.ts';
import { steward } from '../panel/steward-command.ts';
import { createTestPanel, OPERATOR, TEST_SECRET, type TestPanel } from '../panel/test-panel.ts';
import type { Bed } from './bed.ts';
import { installSteward } from './installed-steward.ts';
import type { SiteOptions, WordPressSite } from './site.ts';

/** Starts a real panel process with one license for WordPress sites. `settings`: further environment variables. */
export async function startLicensingPanel({
  args = [] as string[],
  settings = {} as NodeJS.ProcessEnv,
} = {}) {
  const database = await createPanelDatabase();
  const env = { ...database.env, ...settings };
  const panel = await launchPanel(env, { args });
  const license = await database.newLicense();

  return {
    ...describeLicensingPanel(panel.url, env, database, license),
    env,
    database,
    post: panel.post,
    end: panel.end,
    newUser: database.newUser,
    startWorker: database.startWorker,
    async stop() {
      await panel.end('SIGTERM');
      await database.drop();
    },
  };
}

/**
 * Starts a panel without a worker in this process, which costs a tenth of a panel process. For tests without runs,
 * rollouts and revoked licenses.
 */
export async function startPanelWithoutWorker() {
  const { baseUrl } = loadConfig({ PORT: '0' });
  const panel = await createTestPanel(
    { baseUrl, allowPrivateSites: true },
    { usesSystemClock: true },
  );
  const { app, fakes, services } = panel;
  await services.sessions.load();
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  fakes.panelUrl = `http://localhost:${new URL(url).port}`;
  const license = await panel.license({ siteLimit: 50 });
  const env = { DATABASE_URL: panel.databaseUrl, DATA_DIR: panel.dataDir, SECRET_KEY: TEST_SECRET };

  return {
    ...describeLicensingPanel(url, env, panel, license),
    database: { db: panel.db, pool: panel.pool, services },
    post: panel.post,
    async newUser(role: Role = 'owner', name = 'Olive'): Promise<Credentials> {
      const [email, password] = [`${name.toLowerCase()}@example.com`, newPassword()];
      await services.users.create({ email, name, role, password }, OPERATOR);
      return { email, password };
    },
    stop: panel.close,
  };
}

function describeLicensingPanel(
  url: string,
  env: NodeJS.ProcessEnv,
  { db, services }: Pick<TestPanel, 'db' | 'services'>,
  { id, license_key }: { id: number; license_key: string },
) {
  return {
    url,
    /** Signs with the panel's signing key, as an attacker who stole it. */
    sign: services.signingKeys.sign,
    /** Runs `steward license …` and returns its JSON output. */
    license: async (...args: string[]) =>
      JSON.parse((await steward(['license', ...args, '--json'], env)).stdout),
    licenseId: id,
    licenseKey: license_key,
    /** Reads the row of a site from the panel's database. */
    siteRow: (siteId: number) =>
      db.selectFrom('sites').selectAll().where('id', '=', siteId).executeTakeFirstOrThrow(),
  };
}

/** What a panel with a worker and one without have in common. */
export type LicensingPanel = ReturnType<typeof describeLicensingPanel> & {
  database: Pick<TestPanel, 'db' | 'pool' | 'services'>;
  post(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  newUser(role?: Role, name?: string): Promise<Credentials>;
  stop(): Promise<void>;
};
export type LicensedSite = Awaited<ReturnType<typeof createLicensedSite>>;

/** Creates a WordPress site with the Steward plugin and a license. `connect` stores the connection on the site. */
export async function createLicensedSite(bed: Bed, panel: LicensingPanel, options?: SiteOptions) {
  const site = await bed.createSite(options);
  await installSteward(site, options?.multisite);
  const { body } = await panel.post('/api/v1/license/activate', {
    license_key: panel.licenseKey,
    site_url: site.url,
    cms_version: '6.1',
    php_version: '8.2',
    plugin_version: '0.1.0',
  });
  const siteId = (body.activation as { site_id: number }).site_id;
  const activationToken = String(body.activation_token);

  return {
    ...site,
    siteId,
    key: panel.licenseKey,
    connect: (change: Partial<Connection> = {}) =>
      writeConnection(site, {
        licenseKey: panel.licenseKey,
        services: ['remote'],
        panelUrl: panel.url,
        activationToken,
        panelCapabilities: [...CAPABILITIES],
        ...change,
      }),
    /** Returns the last inventory that the site reported, and the time of that report. */
    async lastReport(): Promise<{ inventory: Inventory | null; at: number }> {
      const { inventory, inventory_at } = await panel.siteRow(siteId);
      return { inventory, at: inventory_at?.getTime() ?? 0 };
    },
  };
}

type Connection = {
  licenseKey: string;
  services: string[];
  panelUrl: string;
  activationToken: string;
  /** The capabilities that the panel announced. Default: all. */
  panelCapabilities: string[];
};

async function writeConnection(site: WordPressSite, connection: Connection): Promise<void> {
  await site.setOption('service_license_key', connection.licenseKey);
  await site.setOption('service_enabled_services', connection.services);
  await site.setOption('service_panel_url', connection.panelUrl);
  await site.setOption('steward_state', {
    site_url: site.url,
    activation_token: connection.activationToken,
    panel_capabilities: connection.panelCapabilities,
  });
}
