import type { SiteSelectionQuery } from '@steward/contract';
import { SITE_IDS_MAX } from '@steward/contract';
import type { Command } from 'commander';
import { findClient } from '../clients/find-client.ts';
import type { PanelApi } from '../panel-api/panel-api.ts';
import { findSite } from './find-site.ts';

/** The sites of a command: addresses or ids, a tag, a client, or all. */
export type SiteChoice = { sites: string[]; tag?: string; client?: string; all?: true };

export function addSiteOptions(command: Command): Command {
  return command
    .option('--tag <name>', 'all sites with this tag')
    .option('--client <client>', 'all sites of this client, by its name or id')
    .option('--all', 'all sites');
}

export const collect = (text: string, before: string[] = []): string[] => [...before, text];

/** `filter` limits `--tag`, `--client` and `--all` to the sites that the command concerns. Throws if no site has the tag. */
export async function selectSites(
  api: PanelApi,
  { sites, tag, client, all }: SiteChoice,
  filter: SiteSelectionQuery = {},
): Promise<number[]> {
  const isByClient = client !== undefined;
  const choices = [sites.length > 0, tag !== undefined, isByClient, all === true].filter(Boolean);
  if (choices.length !== 1)
    throw new Error('Give the addresses or ids of sites, or use --tag, --client or --all.');
  if (sites.length > 0) {
    const ids: number[] = [];
    // One after the other: the panel limits the requests of a client.
    for (const site of sites) ids.push((await findSite(api, site)).id);
    return [...new Set(ids)];
  }
  const { site_ids, is_complete } = await api.selectSites({
    ...filter,
    ...(tag !== undefined && { tag }),
    ...(isByClient && (await toClientFilter(api, client))),
  });
  if (site_ids.length === 0 && tag !== undefined) await assertTagHasSites(api, tag);
  if (is_complete) return site_ids;
  const advice =
    all === true
      ? 'Run the command once for each tag or client, with --tag or --client.'
      : 'Use a tag or client with fewer sites.';
  throw new Error(`More than ${SITE_IDS_MAX} sites match. ${advice}`);
}

/** `none`: the sites without a client. */
export async function toClientFilter(
  api: PanelApi,
  client: string,
): Promise<{ client_id: string }> {
  if (client === 'none') return { client_id: client };
  return { client_id: String(findClient(await api.listClients(), client).id) };
}

/** A misspelt tag must not look like sites without pending updates. */
async function assertTagHasSites(api: PanelApi, tag: string): Promise<void> {
  const { site_ids } = await api.selectSites({ tag });
  if (site_ids.length === 0) throw new Error(`No site has the tag ${tag}. Check its spelling.`);
}
