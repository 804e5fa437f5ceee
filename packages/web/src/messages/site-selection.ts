import type { SiteSelectionQuery } from '@steward/contract';
import { NO_CLIENT } from '../lib/clients-api.ts';
import { siteStatusMessages } from './site-status.ts';
import { sitesMessages } from './sites.ts';
import { softwareMessages } from './software.ts';
import { uptimeMessages } from './uptime.ts';

export type NameOfClient = (id: string) => string;

/** "all sites", "sites of client Acme", "sites with the tag shop", "sites that match: last action failed; tag shop" */
export function describeSelection(
  selection: SiteSelectionQuery,
  nameOfClient: NameOfClient,
): string {
  const filters = describeFilters(selection, nameOfClient);
  if (filters.length === 0) return 'all sites';
  if (filters.length === 1 && selection.client_id === NO_CLIENT) return 'sites without a client';
  if (filters.length === 1 && selection.client_id)
    return `sites of client ${nameOfClient(selection.client_id)}`;
  if (filters.length === 1 && selection.tag) return `sites with the tag ${selection.tag}`;
  return `sites that match: ${filters.join('; ')}`;
}

function describeFilters(
  { search, status, pending, tag, ...rest }: SiteSelectionQuery,
  nameOfClient: NameOfClient,
): string[] {
  const { pendingOptions, environments, stewardPluginOutdated, supportOptions } =
    sitesMessages.filters;
  const { environment, license_id, client_id, archived, steward_plugin, support, certificate } =
    rest;
  return [
    search && `name or address like “${search}”`,
    status && siteStatusMessages.words[status],
    pending && lowerFirst(pendingOptions[pending]),
    tag && `tag ${tag}`,
    environment && `environment ${lowerFirst(environments[environment])}`,
    license_id && `license ${license_id}`,
    client_id && (client_id === NO_CLIENT ? 'no client' : `client ${nameOfClient(client_id)}`),
    describeSoftware(rest),
    steward_plugin && stewardPluginOutdated,
    support && supportOptions[support],
    certificate && lowerFirst(uptimeMessages.certificateOptions[certificate]),
    archived && 'archived',
  ].filter((text) => text !== undefined && text !== '') as string[];
}

function describeSoftware(selection: SiteSelectionQuery): string | undefined {
  const { software, software_type, software_version, software_outdated } = selection;
  if (software === undefined) return undefined;
  const { types } = softwareMessages;
  return sitesMessages.filters.software(
    lowerFirst(software_type ? types[software_type] : 'Software'),
    // Core has one item only, so its name says nothing.
    software_type === 'core' ? [software_version] : [software, software_version],
    software_outdated === 'true',
  );
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
