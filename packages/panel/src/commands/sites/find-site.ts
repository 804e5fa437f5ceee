import { domainToUnicode } from 'node:url';
import { canonicalSiteUrl, type SiteItem, type SiteUrl } from '@steward/contract';
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
    (await findByAddress(api, parsed)) ??
    (includesArchived ? await findByAddress(api, parsed, 'true') : null);
  if (found) return found;
  throw new Error(
    `There is no site ${parsed.canonical}. Find its address or id with: npx steward site list --search ${parsed.host}`,
  );
}

/**
 * Several licenses can each have a site with this address. Prefers one that is still connected, then the newest. The
 * search also finds longer names, such as `example.com/blog` for `example.com`.
 */
async function findByAddress(
  api: PanelApi,
  address: SiteUrl,
  archived?: 'true',
): Promise<FoundSite | null> {
  const found: SiteItem[] = [];
  for (const search of listSearches(address)) {
    const filter = { search, ...(archived && { archived }) };
    const { items } = await listPages(Number.POSITIVE_INFINITY, async (page) => {
      const { sites, next_cursor } = await api.listSites({ ...filter, ...page });
      return { items: sites, next_cursor };
    });
    found.push(...items);
  }
  const matches = found.filter(({ url }) => isAddressOf(url, address.canonical));
  const connected = matches.filter(({ status }) => status !== 'deactivated');
  return (connected.length > 0 ? connected : matches).sort((a, b) => b.id - a.id)[0] ?? null;
}

/**
 * The search compares names, which keep the spelling of the reported address. An address with other characters than
 * ASCII has several spellings: the host in Unicode or ASCII, the path encoded or not. For such an address, the search is
 * for both spellings of the host only.
 */
function listSearches({ canonical, host }: SiteUrl): string[] {
  const hasOneSpelling = !/xn--|%/.test(canonical);
  const searches = hasOneSpelling ? [canonical] : [host, domainToUnicode(host) || host];
  return [...new Set(searches)].map((search) => search.slice(0, SEARCH_MAX_LENGTH));
}

function isAddressOf(url: string, canonical: string): boolean {
  const parsed = canonicalSiteUrl(url);
  return parsed.ok && parsed.canonical === canonical;
}
