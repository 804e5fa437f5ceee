import { CAPABILITIES, type Inventory } from '@steward/contract';
import { createPanelDatabase } from '../panel/panel-database.ts';
import { launchPanel } from '../panel/panel-process.ts';
import { steward } from '../panel/steward-command.ts';
import type { Bed } from './bed.ts';
import { installSteward } from './installed-steward.ts';
import type { SiteOptions, WordPressSite } from './site.ts';

/**
 * For tests without runs, rollouts and revoked licenses. A worker polls its queues, which takes a tenth of a core even if
 * it has nothing to do.
 */
export const WITHOUT_WORKER = { args: ['--role', 'web'] };

/** Starts a real panel with one license for WordPress sites. `settings`: further environment variables. */
export async function startLicensingPanel({
  args = [] as string[],
  settings = {} as NodeJS.ProcessEnv,
} = {}) {
  const database = await createPanelDatabase();
  const env = { ...database.env, ...settings };
  const panel = await launchPanel(env, { args });
  const { id, license_key } = await database.newLicense();

  return {
    url: panel.url,
    env,
    database,
    post: panel.post,
    end: panel.end,
    newUser: database.newUser,
    startWorker: database.startWorker,
    /** Signs with the panel's signing key, as an attacker who stole it. */
    sign: database.services.signingKeys.sign,
    /** Runs `steward license …` and returns its JSON output. */
    license: async (...args: string[]) =>
      JSON.parse((await steward(['license', ...args, '--json'], env)).stdout),
    licenseId: id,
    licenseKey: license_key,
    /** Reads the row of a site from the panel's database. */
    siteRow: (siteId: number) =>
      database.db
        .selectFrom('sites')
        .selectAll()
        .where('id', '=', siteId)
        .executeTakeFirstOrThrow(),
    async stop() {
      await panel.end('SIGTERM');
      await database.drop();
    },
  };
}

export type LicensingPanel = Awaited<ReturnType<typeof startLicensingPanel>>;
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
