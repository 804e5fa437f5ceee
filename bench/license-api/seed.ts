import type { Inventory } from '@steward/contract';
import { createLogger } from '@steward/panel/logger';
import { loadConfig, openPanel } from '@steward/panel/program';

const SITES_PER_LICENSE = 10;
const BATCH_SIZE = 8;
export const VERSIONS = { cms_version: '6.6.2', php_version: '8.3.12', plugin_version: '1.4.0' };
/** The reference for `activate`: a table without anything else to keep up to date. */
const BARE_TABLE = `
  CREATE TABLE bench_activations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    license_id bigint NOT NULL REFERENCES licenses,
    site_url text NOT NULL,
    cms_version text NOT NULL,
    php_version text NOT NULL,
    plugin_version text NOT NULL,
    UNIQUE (license_id, site_url));
  GRANT SELECT, INSERT ON bench_activations TO PUBLIC`;

/** The fields that a site sends with each request. The panel ignores `site_id`, which the baseline servers use. */
export type SeededSite = typeof VERSIONS & {
  license_key: string;
  site_url: string;
  activation_token: string;
  site_id: number;
};

/** The baseline for `activate` finds the license by `license_id`. */
export type SeededLicense = { license_key: string; license_id: number };

export type Seed = {
  sites: SeededSite[];
  /** Licenses without sites. */
  licenses: SeededLicense[];
  /** Stores the inventory of a site. */
  report(site: SeededSite, inventory: Inventory): Promise<void>;
  close(): Promise<void>;
};

/** Creates licenses, activates each on its sites, and creates licenses without sites. */
export async function seedPanel(
  env: NodeJS.ProcessEnv,
  count: { sites: number; licenses: number },
): Promise<Seed> {
  const panel = await openPanel(loadConfig(env), createLogger('warn'));
  const origin = { actor: 'system', via: 'command_line' } as const;
  const { licenses, activations } = panel.services;
  const create = (number: number, siteLimit: number) =>
    licenses.create({ planName: 'Bench', siteLimit, expiresAt: null, count: number }, origin);

  const sites: SeededSite[] = [];
  const connect = async (license_key: string) => {
    for (let site = 0; site < SITES_PER_LICENSE; site++) {
      const site_url = `https://site-${sites.length}-${site}.example.com/`;
      const request = { license_key, site_url, ...VERSIONS };
      const { activation, activation_token } = await activations.activate(request, origin);
      sites.push({ ...request, activation_token, site_id: activation.site_id });
    }
  };
  const usedLicenses = await create(count.sites / SITES_PER_LICENSE, SITES_PER_LICENSE);
  while (usedLicenses.length > 0) {
    const batch = usedLicenses.splice(0, BATCH_SIZE);
    await Promise.all(batch.map(({ license_key }) => connect(license_key)));
  }
  // A limit that no run reaches: with a limit, `activate` has more to check.
  const freeLicenses = count.licenses === 0 ? [] : await create(count.licenses, 1_000_000);
  // The panel's role owns no tables.
  const owner = await panel.connection.openAsOwner();
  await owner.pool.query('VACUUM ANALYZE license_activations, licenses, sites');
  await owner.pool.query(BARE_TABLE);
  await owner.close();
  return {
    sites,
    licenses: freeLicenses.map(({ license_key, id }) => ({
      license_key,
      license_id: id,
    })),
    async report(site, inventory) {
      await panel.services.checks.verify({ ...site, inventory }, origin);
    },
    close: () => panel.close(),
  };
}
