import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { LICENSES, type LicenseName, siteUrl } from './fleet.ts';
import { type DemoState, panelDataDir } from './folder.ts';
import { runSteward } from './panel-process.ts';
import type { Fleet } from './sites.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

type Licenses = Record<LicenseName, { id: number; key: string }>;

/** Creates the owner, licenses and tags and connects the sites at the first start, as a user would. */
export async function setUp(
  folder: string,
  panelUrl: string,
  state: DemoState,
  fleet: Fleet,
): Promise<void> {
  await createOwner(folder, state);
  const session = await signInAt(panelUrl, state);
  const licenses = await createLicenses(session);
  for (const { site, agent, report } of fleet.sites) {
    await agent.panelClient.activate(panelUrl, licenses[site.license].key);
    await agent.panelClient.check();
    await report();
  }
  await setTags(session, state.port, fleet);
  for (const [name, { isSuspended }] of Object.entries(LICENSES)) {
    const { id } = licenses[name as LicenseName];
    if (isSuspended) await session.ask('POST', `/panel/licenses/${id}/suspend`);
  }
}

async function createOwner(folder: string, { email, password }: DemoState): Promise<void> {
  const options = ['--email', email, '--role', 'owner', '--name', 'Demo Owner', '--password-stdin'];
  await runSteward(['user', 'create', ...options], { DATA_DIR: panelDataDir(folder) }, password);
}

async function createLicenses(session: PanelClient): Promise<Licenses> {
  const created: Partial<Licenses> = {};
  for (const [name, { plan, siteLimit, expiresInDays }] of Object.entries(LICENSES)) {
    const expiresAt = expiresInDays && new Date(Date.now() + expiresInDays * DAY_MS).toISOString();
    const { license } = await session.ask<{ license: { id: number; license_key: string } }>(
      'POST',
      '/panel/licenses',
      { plan, site_limit: siteLimit, ...(expiresAt && { expires_at: expiresAt }) },
    );
    created[name as LicenseName] = { id: license.id, key: license.license_key };
  }
  return created as Licenses;
}

async function setTags(session: PanelClient, firstPort: number, fleet: Fleet): Promise<void> {
  const { sites } = await session.ask<{ sites: { id: number; url: string }[] }>(
    'GET',
    '/panel/sites?limit=50',
  );
  const siteIds = new Map(sites.map(({ id, url }) => [url.replace(/\/$/, ''), id]));
  for (const { site } of fleet.sites) {
    const id = siteIds.get(siteUrl(site, firstPort));
    if (id === undefined) throw new Error(`The panel does not list ${site.host}.`);
    await session.ask('PUT', `/panel/sites/${id}/tags`, { tags: site.tags });
  }
}
