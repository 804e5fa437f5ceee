import { canonicalSiteUrl, type SiteItem } from '@steward/contract';
import { listPages } from '../list-pages.ts';
import type { PanelApi } from '../panel-api/panel-api.ts';

export type FoundSite = Pick<SiteItem, 'id' | 'name' | 'url'>;

const SEARCH_MAX_LENGTH = 500;

/** Finds a site by its id or by any form of its address. */
export async function findSite(
  api: PanelApi,
  site: string,
  { includesArchived = false } = {},
): Promise<FoundSite> {
  if (/^[1-9]\d{0,14}$/.test(site)) return (await api.showSite(Number(site))).site;
  const parsed = canonicalSiteUrl(/^https?:\/\//i.test(site) ? site : `https://${site}`);
  if (!parsed.ok) throw new Error(`${site} is not a valid http or https address of a site.`);
  const found =
    (await findByAddress(api, parsed.canonical)) ??
    (includesArchived ? await findByAddress(api, parsed.canonical, 'true') : null);
  if (found) return found;
  throw new Error(`There is no site ${parsed.canonical}.`);
}

/**
 * Several licenses can each have a site with this address. Prefers one that is still connected, then the newest. The
 * search also finds longer names, such as `example.com/blog` for `example.com`.
 */
async function findByAddress(
  api: PanelApi,
  canonical: string,
  archived?: 'true',
): Promise<FoundSite | null> {
  const filter = { search: canonical.slice(0, SEARCH_MAX_LENGTH), ...(archived && { archived }) };
  const { items } = await listPages(Number.POSITIVE_INFINITY, async (page) => {
    const { sites, next_cursor } = await api.listSites({ ...filter, ...page });
    return { items: sites, next_cursor };
  });
  const matches = items.filter(({ url }) => isAddressOf(url, canonical));
  const connected = matches.filter(({ status }) => status !== 'deactivated');
  return (connected.length > 0 ? connected : matches).sort((a, b) => b.id - a.id)[0] ?? null;
}

function isAddressOf(url: string, canonical: string): boolean {
  const parsed = canonicalSiteUrl(url);
  return parsed.ok && parsed.canonical === canonical;
}
