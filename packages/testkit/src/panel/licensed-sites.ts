import type { Inventory, Role, SiteItem } from '@steward/contract';
import type { GrantTarget, LicenseInput } from '@steward/panel/features';
import { newSignedInUser, type Person, usePanelWithOwner } from './signed-in-user.ts';
import { newSiteUrl, OPERATOR, type TestPanel, VERSIONS } from './test-panel.ts';

type SiteInput = {
  url?: string;
  versions?: Partial<typeof VERSIONS>;
  environment?: string;
  inventory?: Inventory | null;
};

/** Creates an inventory with one plugin and one theme without updates, plus the `pending` items with an update. */
export function inventory(
  pending: { plugins?: string[]; themes?: string[]; core?: boolean } = {},
): Inventory {
  const state = { version: '1.0', active: true };
  return {
    plugins: [
      { plugin: 'calm/calm.php', name: 'Calm', ...state },
      ...(pending.plugins ?? []).map((name) => ({
        plugin: `${name}/${name}.php`,
        name: `The ${name}`,
        ...state,
        new_version: '2.0',
      })),
    ],
    themes: [
      { slug: 'plain', name: 'Plain', ...state },
      ...(pending.themes ?? []).map((slug) => ({ slug, name: slug, ...state, new_version: '2.0' })),
    ],
    core: { version: '6.6.2', ...(pending.core && { new_version: '6.7' }) },
  };
}

/** Creates a license. `addSite` makes the same API calls as a real site. */
export async function newLicenseWithSites(panel: TestPanel, input: Partial<LicenseInput> = {}) {
  const license = await panel.license({ siteLimit: null, ...input });
  const { license_key } = license;

  async function post(path: string, body: object) {
    const response = await panel.post(path, { license_key, ...body });
    if (response.status !== 200) throw new Error(JSON.stringify(response.body));
    return response.body;
  }

  return {
    ...license,
    post,
    /** Activates the license on a site, which then reports. `inventory: null`: the site does not report. */
    async addSite(input: SiteInput = {}) {
      const site_url = input.url ?? newSiteUrl();
      const { environment } = input;
      const versions = { ...VERSIONS, ...input.versions };
      const details = { site_url, ...versions, ...(environment && { environment }) };
      const { activation } = await post('/api/v1/license/activate', details);
      const report = input.inventory === undefined ? inventory() : input.inventory;
      if (report) await post('/api/v1/site/verify', { site_url, inventory: report });
      return { id: activation.site_id as number, url: site_url };
    },
    check: (site_url: string, versions: Partial<typeof VERSIONS> = {}) =>
      post('/api/v1/license/check', { site_url, ...VERSIONS, ...versions }),
    deactivate: (site_url: string) => post('/api/v1/license/deactivate', { site_url }),
  };
}

/** Creates a signed-in user with access to these licenses, sites and tags. */
export async function newUserWithAccess(panel: TestPanel, role: Role, targets: GrantTarget[]) {
  const user = await newSignedInUser(panel, role);
  for (const target of targets) {
    await panel.services.siteAccess.grant(user.id, target, OPERATOR);
  }
  return user;
}

/** Records that an update of the site failed with this error code. */
export async function recordFailure(panel: TestPanel, siteId: number, code: string) {
  const result = { runId: 7, kind: 'update', status: 'failed', details: null } as const;
  await panel.db
    .transaction()
    .execute((trx) =>
      panel.services.sites.recordCalls(trx, [{ ...result, siteId, code, error: `${code}.` }]),
    );
}

/** Starts a panel with one owner. `listSites` requests the list of sites. */
export function useSiteListPanel() {
  const { panel, owner } = usePanelWithOwner();
  const listSites = async (
    query: Record<string, string | number>,
    user: Pick<Person, 'get'> = owner,
  ) => {
    const parameters = new URLSearchParams(query as Record<string, string>);
    const { status, body } = await user.get(`/panel/sites?${parameters}`);
    return { status, body, names: body.sites?.map(({ name }: SiteItem) => name) as string[] };
  };
  return { panel, owner, listSites };
}

/** Inserts many sites with SQL, because activating each takes too long. These sites have never reported. */
export async function addManySites(
  { pool }: Pick<TestPanel, 'pool'>,
  licenseId: number,
  hosts: string[],
) {
  await pool.query(
    `WITH added AS (
       INSERT INTO sites (license_id, url, canonical_url, created_at)
       SELECT $1, 'https://' || host, host, now() FROM unnest($2::text[]) host
       RETURNING id, license_id)
     INSERT INTO license_activations (site_id, license_id, status, counted, environment,
       cms_version, php_version, plugin_version, license_key_encrypted, token_hash,
       token_encrypted, activated_at)
     SELECT id, license_id, 'active', true, 'production', '6', '8', '1', '', '', '', now()
     FROM added`,
    [licenseId, hosts],
  );
  const countSites = 'UPDATE licenses SET counted_sites = counted_sites + $2 WHERE id = $1';
  await pool.query(countSites, [licenseId, hosts.length]);
}

export const createHostNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `many-${index + 1}`);
