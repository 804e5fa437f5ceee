import { cycle, postRequest, type RequestSource } from '../load.ts';
import type { SeededLicense, SeededSite, VERSIONS } from './seed.ts';

/** Each function returns one source of requests per connection. No two connections use the same site. */

export function checkIns(sites: SeededSite[], connections: number): RequestSource[] {
  return perConnection(sites, connections, (own) =>
    own.map((site) => postRequest('/api/v1/license/check', JSON.stringify(site))),
  );
}

export function validations(sites: SeededSite[], connections: number): RequestSource[] {
  return perConnection(sites, connections, (own) =>
    own.map((site) => postRequest('/api/v1/license/validate', JSON.stringify(site))),
  );
}

export function verifications(sites: SeededSite[], connections: number): RequestSource[] {
  return perConnection(sites, connections, (own) =>
    own.map((site) => postRequest('/api/v1/site/verify', JSON.stringify(site))),
  );
}

const PLUGINS = 200;

const PREFLIGHT = { remote_enabled: true, file_changes: 'ok', locked: false };

let built = 0;
/** Most updates install a version that other sites already have. A prime number, so that no round repeats its versions. */
const OTHER_VERSIONS = 53;

/**
 * One site per connection. With `isChanging`, one plugin has another version in each report, also in the first one of the
 * next round: a site may send only one report in a round. The free disk space is another one in each report, as on real
 * sites.
 */
export function reports(
  sites: SeededSite[],
  connections: number,
  { isChanging }: { isChanging: boolean },
): RequestSource[] {
  return sites.slice(0, connections).map((site, index) => {
    const changed = index % PLUGINS;
    return cycle(
      [0, 1].map((turn) => {
        const inventory = buildInventory(
          isChanging ? { [changed]: `2.0.${++built % OTHER_VERSIONS}` } : {},
        );
        const preflight = { ...PREFLIGHT, free_bytes: 1e10 + turn };
        return postRequest(
          '/api/v1/site/verify',
          JSON.stringify({ ...site, inventory, preflight }),
        );
      }),
    );
  });
}

let activated = 0;

/** Each request activates another site. Each connection has its own licenses. */
export function activations(
  licenses: SeededLicense[],
  connections: number,
  versions: typeof VERSIONS,
): RequestSource[] {
  return Array.from({ length: connections }, (_, connection) => {
    const own = licenses.filter((_, index) => index % connections === connection);
    let sent = 0;
    return () => {
      const license = own[sent++ % own.length];
      const site_url = `https://new-site-${activated++}.example.com/`;
      return postRequest(
        '/api/v1/license/activate',
        JSON.stringify({ ...license, site_url, ...versions }),
      );
    };
  });
}

function perConnection(
  sites: SeededSite[],
  connections: number,
  build: (own: SeededSite[]) => Buffer[],
): RequestSource[] {
  return Array.from({ length: connections }, (_, connection) =>
    cycle(build(sites.filter((_, index) => index % connections === connection))),
  );
}

/** `updated`: other versions, by the position of the plugin. */
export function buildInventory(updated: Record<number, string> = {}) {
  return {
    plugins: Array.from({ length: PLUGINS }, (_, index) => ({
      plugin: `plugin-${index}/plugin-${index}.php`,
      name: `Example Plugin ${index}`,
      version: updated[index] ?? `1.${index}.3`,
      active: index % 4 !== 0,
      ...(index % 20 === 0 && { new_version: `1.${index + 1}.0` }),
    })),
    themes: [{ slug: 'example-theme', name: 'Example Theme', version: '3.1', active: true }],
    core: { version: '6.6.2' },
  };
}
