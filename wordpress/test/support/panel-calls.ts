import type { PanelClient } from '@steward/testkit/panel/panel-client.ts';

type RunResponse = { results: { status: string; code: string | null }[] };

/** Returns the id that the panel gave to the site at this URL. */
export async function findSiteId(owner: PanelClient, url: string): Promise<number> {
  type SiteList = { sites: { id: number; url: string }[] };
  const { sites } = await owner.ask<SiteList>('GET', '/panel/sites');
  const site = sites.find((listed) => listed.url === url);
  if (!site) throw new Error('The panel does not list the site.');
  return site.id;
}

/** Sends a request that makes the panel call sites, and waits for the results. */
export function startRun(owner: PanelClient, path: string, body: object): Promise<RunResponse> {
  return owner.ask<RunResponse>('POST', path, body, { headers: { prefer: 'wait=60' } });
}

export function syncSite(owner: PanelClient, siteId: number): Promise<RunResponse> {
  return startRun(owner, '/panel/sites/sync', { site_ids: [siteId] });
}
