import type { SitesResponse } from '@steward/contract';
import type { Static } from 'typebox';
import { api } from '../lib/api.ts';
import { commonMessages } from '../messages/common.ts';
import { type FoundOption, SearchSelect } from './search-select.tsx';

type Props = {
  label: string;
  placeholder?: string;
  value: FoundOption | null;
  onChange: (site: FoundOption | null) => void;
};

/** Finds a site by part of its name, among the sites that the user may see. */
export function SiteSelect(props: Props) {
  return (
    <SearchSelect
      resource="sites"
      find={findSites}
      nothingFound={commonMessages.noResults}
      {...props}
    />
  );
}

const MAX_RESULTS = 20;

export async function findSites(search: string, signal: AbortSignal): Promise<FoundOption[]> {
  const query = { search, limit: MAX_RESULTS };
  const { sites } = await api<Static<typeof SitesResponse>>('/panel/sites', { query, signal });
  // Two licenses may have a site with the same address, so show the license too.
  return sites.map(({ id, name, license }) => ({
    value: String(id),
    label: name,
    note: commonMessages.licenseName(license.name ?? '', license.key_last_six).trim(),
  }));
}
