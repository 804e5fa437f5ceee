import { createSiteKey, createToken } from '@steward/panel/features';
import type { Secrets } from '@steward/panel/program';
import { createRandom } from '../fleet/names.ts';
import { createInventory } from '../software-page/inventory.ts';

/** A site updates about three plugins a week, and reports 14 times. */
const UPDATES_PER_CHECK_IN = 3 / 14;
const SHARE_WITH_PENDING_UPDATES = 0.4;
const VERSIONS = { cms_version: '6.8.2', php_version: '8.3.12', plugin_version: '1.4.0' };
const TIME_ZONE = 'Europe/Oslo';
/** What the WordPress plugin sends with each request. */
const CAPABILITIES = ['result_details', 'site_key', 'signed_calls', 'update.items', 'preflight'];

export type SimulatedSites = ReturnType<typeof createSimulatedSites>;

/** The sites of the fleet: what they send in a check-in. Each inventory is created when needed, to save memory. */
export function createSimulatedSites(count: number, secrets: Secrets) {
  const credentials = Array.from({ length: count }, () => {
    const [key, token] = [createSiteKey(secrets), createToken(secrets)];
    return { ...key, ...token, columns: { ...key.columns, ...token.columns } };
  });
  const updates = new Uint16Array(count);
  const random = createRandom(11);

  const siteUrl = (site: number) => `https://www.site-${site}.example.com/`;
  const endpointUrl = (site: number) => `${siteUrl(site)}wp-json/service/v1/`;

  function createSiteInventory(site: number) {
    const own = createRandom(site);
    const inventory = createInventory(own() < SHARE_WITH_PENDING_UPDATES ? 1 : 0, own);
    const count = inventory.plugins.length;
    for (let update = 0; update < (updates[site] ?? 0); update++) {
      const plugin = inventory.plugins[update % count];
      if (!plugin) continue;
      plugin.version = `${plugin.new_version ?? plugin.version}.1`;
      delete plugin.new_version;
    }
    return inventory;
  }

  const createPreflight = () => ({
    remote_enabled: true,
    file_changes: 'ok',
    not_writable: [],
    free_bytes: 20 * 2 ** 30 - Math.floor(random() * 2 ** 30),
    locked: false,
  });

  function createIdentity(site: number) {
    const { siteKey, token } = credentials[site] ?? { siteKey: '', token: '' };
    const key = { license_key: siteKey, activation_token: token, site_url: siteUrl(site) };
    return { ...key, ...VERSIONS, environment: 'production', capabilities: CAPABILITIES };
  }

  return {
    count,
    siteUrl,
    endpointUrl,
    versions: VERSIONS,
    capabilities: CAPABILITIES,
    timeZone: TIME_ZONE,
    createPreflight,
    columnsOf: (site: number) => credentials[site]?.columns,
    createSiteInventory,
    createCheck: (site: number) => JSON.stringify(createIdentity(site)),

    /** The report at a check-in. Some sites have updated a plugin since their last one. */
    createReport(site: number): string {
      if (random() < UPDATES_PER_CHECK_IN) updates[site] = (updates[site] ?? 0) + 1;
      return JSON.stringify({
        ...createIdentity(site),
        inventory: createSiteInventory(site),
        time_zone: TIME_ZONE,
        accepts_unsigned_calls: false,
        endpoint_url: endpointUrl(site),
        preflight: createPreflight(),
      });
    },

    countUpdates: () => updates.reduce((sum, count) => sum + count, 0),
  };
}
