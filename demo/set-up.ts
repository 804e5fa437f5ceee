import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { LICENSES, type LicenseName } from './demo-site.ts';
import { MIN_SITES, siteUrl } from './fleet.ts';
import { type DemoState, panelDataDir } from './folder.ts';
import { runSteward } from './panel-process.ts';
import type { Fleet } from './sites.ts';
import { type GetSiteId, tellStory } from './story.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

type License = { id: number; key: string };
type Licenses = Map<LicenseName, License>;

/** Creates the owner, licenses and tags and connects the sites at the first start, as a user would. */
export async function setUp(
  folder: string,
  panelUrl: string,
  state: DemoState,
  fleet: Fleet,
): Promise<void> {
  await createOwner(folder, state);
  const session = await signInAt(panelUrl, state);
  const licenses = await createLicenses(session, fleet);
  for (const { site, agent, report } of fleet.sites) {
    await agent.panelClient.activate(panelUrl, getLicense(licenses, site.license).key);
    await agent.panelClient.check();
    await report();
  }
  const getSiteId = await listSiteIds(session, state.port);
  for (const { site } of fleet.sites) {
    await session.ask('PUT', `/panel/sites/${getSiteId(site)}/tags`, { tags: site.tags });
  }
  for (const [name, { id }] of licenses) {
    if (LICENSES[name].isSuspended) await session.ask('POST', `/panel/licenses/${id}/suspend`);
  }
  if (state.sites > MIN_SITES) await tellStory({ session, folder, fleet, getSiteId });
  // Otherwise the user would find a session of a stranger.
  await session.ask('POST', '/auth/sign-out');
}

async function createOwner(folder: string, { email, password }: DemoState): Promise<void> {
  const options = ['--email', email, '--role', 'owner', '--name', 'Demo Owner', '--password-stdin'];
  await runSteward(['user', 'create', ...options], { DATA_DIR: panelDataDir(folder) }, password);
}

/** Creates the licenses that the sites need. */
async function createLicenses(session: PanelClient, { sites }: Fleet): Promise<Licenses> {
  const licenses: Licenses = new Map();
  for (const name of new Set(sites.map(({ site }) => site.license))) {
    const { plan, siteLimit, expiresInDays } = LICENSES[name];
    const expiresAt = expiresInDays && new Date(Date.now() + expiresInDays * DAY_MS).toISOString();
    const { license } = await session.ask<{ license: { id: number; license_key: string } }>(
      'POST',
      '/panel/licenses',
      { plan, site_limit: siteLimit, ...(expiresAt && { expires_at: expiresAt }) },
    );
    licenses.set(name, { id: license.id, key: license.license_key });
  }
  return licenses;
}

function getLicense(licenses: Licenses, name: LicenseName): License {
  const license = licenses.get(name);
  if (!license) throw new Error(`The demo has created no license ${name}.`);
  return license;
}

/** Returns a function that finds the id of a site, which the panel gave it. */
async function listSiteIds(session: PanelClient, firstPort: number): Promise<GetSiteId> {
  type Page = { sites: { id: number; url: string }[]; next_cursor: string | null };
  const ids = new Map<string, number>();
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '50', ...(cursor && { cursor }) });
    const page: Page = await session.ask<Page>('GET', `/panel/sites?${query}`);
    for (const { id, url } of page.sites) ids.set(url.replace(/\/$/, ''), id);
    cursor = page.next_cursor;
  } while (cursor);
  return (site) => {
    const id = ids.get(siteUrl(site, firstPort));
    if (id === undefined) throw new Error(`The panel does not list ${site.host}.`);
    return id;
  };
}
