import { openPanel } from '@steward/panel/panel.ts';
import { loadConfig } from '@steward/panel/platform/config.ts';
import { createLogger } from '@steward/panel/platform/logger.ts';

const SITES_PER_LICENSE = 10;
const BATCH_SIZE = 8;
const VERSIONS = { cms_version: '6.6.2', php_version: '8.3.12', plugin_version: '1.4.0' };

/** Creates licenses, activates each on its sites, and returns the check-in body of each site. */
export async function seedSites(env: NodeJS.ProcessEnv, sites: number) {
  const panel = await openPanel(loadConfig(env), createLogger('warn'));
  const origin = { actor: 'system', via: 'command_line' } as const;
  const { licenses, activations } = panel.services;
  const input = { planName: 'Bench', siteLimit: SITES_PER_LICENSE, expiresAt: null };
  const newLicenses = await licenses.create({ ...input, count: sites / SITES_PER_LICENSE }, origin);

  const bodies: string[] = [];
  const connect = async (license_key: string) => {
    for (let site = 0; site < SITES_PER_LICENSE; site++) {
      const site_url = `https://site-${bodies.length}-${site}.example.com/`;
      const request = { license_key, site_url, ...VERSIONS };
      const { activation, activation_token } = await activations.activate(request, origin);
      // The panel ignores `site_id`; the one-UPDATE server needs it to find the row.
      bodies.push(JSON.stringify({ ...request, activation_token, site_id: activation.site_id }));
    }
  };
  while (newLicenses.length > 0) {
    const batch = newLicenses.splice(0, BATCH_SIZE);
    await Promise.all(batch.map(({ license_key }) => connect(license_key)));
  }
  // VACUUM needs the owner role: the panel's role owns no tables.
  const owner = await panel.connection.openAsOwner();
  await owner.pool.query('VACUUM ANALYZE license_activations, licenses, sites');
  await owner.close();
  return { bodies, close: () => panel.close() };
}
