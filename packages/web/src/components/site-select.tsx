import type { SitesResponse } from '@steward/contract';
import type { Static } from 'typebox';
import { api } from '../lib/api.ts';
import { type FoundOption, SearchSelect } from './search-select.tsx';

type Props = {
  label: string;
  placeholder?: string;
  value: FoundOption | null;
  onChange: (site: FoundOption | null) => void;
};

/** One of the sites somebody may see, found by part of its name. */
export function SiteSelect(props: Props) {
  return <SearchSelect subject="sites" find={findSites} nothingFound="No such site" {...props} />;
}

const AT_MOST = 20;

async function findSites(search: string, signal: AbortSignal): Promise<FoundOption[]> {
  const query = { search, limit: AT_MOST };
  const { sites } = await api<Static<typeof SitesResponse>>('/panel/sites', { query, signal });
  // The same address may be under two licenses.
  return sites.map(({ id, name, license }) => ({
    value: String(id),
    label: name,
    note: `…${license.key_last_six}`,
  }));
}
