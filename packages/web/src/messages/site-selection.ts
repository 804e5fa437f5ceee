import type { SiteSelectionQuery } from '@steward/contract';
import { siteStatusMessages } from './site-status.ts';
import { sitesMessages } from './sites.ts';
import { softwareMessages } from './software.ts';

/** "all sites", "sites with the tag shop", "sites that match: last action failed; tag shop" */
export function describeSelection(selection: SiteSelectionQuery): string {
  const filters = describeFilters(selection);
  if (filters.length === 0) return 'all sites';
  if (filters.length === 1 && selection.tag) return `sites with the tag ${selection.tag}`;
  return `sites that match: ${filters.join('; ')}`;
}

function describeFilters({ search, status, pending, tag, ...rest }: SiteSelectionQuery): string[] {
  const { pendingOptions, environments, stewardPluginOutdated } = sitesMessages.filters;
  const { environment, license_id, archived, steward_plugin } = rest;
  return [
    search && `address like “${search}”`,
    status && siteStatusMessages.words[status],
    pending && lowerFirst(pendingOptions[pending]),
    tag && `tag ${tag}`,
    environment && `environment ${lowerFirst(environments[environment])}`,
    license_id && `license ${license_id}`,
    describeSoftware(rest),
    steward_plugin && stewardPluginOutdated,
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
