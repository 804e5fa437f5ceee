import { useDebouncedValue } from '@mantine/hooks';
import {
  type LicensesResponse,
  roleMay,
  type SitesResponse,
  type SoftwareResponse,
} from '@steward/contract';
import { IconKey, IconPackages, IconPlayerPlay, IconWorld } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';
import { useUser } from '../../lib/session.ts';
import { appMessages } from '../../messages/app.ts';
import { commonMessages } from '../../messages/common.ts';
import { softwareMessages } from '../../messages/software.ts';
import type { Entry } from './entry.tsx';
import { useListedResults } from './use-listed-results.ts';

const MAX_RESULTS = 6;
const MAX_SOFTWARE = 5;
const DEBOUNCE_MS = 120;
/** Matches "#12", "run 12" and "12". */
const RUN_PATTERN = /^(?:#|run\s*#?)?\s*(\d{1,9})$/i;

type SearchResults = {
  sites: Entry[];
  clients: Entry[];
  software: Entry[];
  tags: Entry[];
  licenses: Entry[];
  users: Entry[];
  runs: Entry[];
  isSearching: boolean;
};

/**
 * Finds sites, clients, software, tags, licenses, users and run numbers. A single character finds only a run: it would match
 * nearly everything else.
 */
export function useSearchResults(text: string): SearchResults {
  const [query] = useDebouncedValue(text, DEBOUNCE_MS);
  const isOwner = roleMay(useUser().role, 'owner');
  const navigate = useNavigate();
  const isSearchable = query.length > 1 && !query.startsWith('#');
  const searchOptions = <Body>(
    resource: 'sites' | 'software' | 'licenses',
    { isAllowed = true, limit = MAX_RESULTS } = {},
  ) => ({
    queryKey: ['palette', resource, query],
    enabled: isSearchable && isAllowed,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api<Body>(`/panel/${resource}`, { query: { search: query, limit }, signal }),
  });
  const sites = useQuery(searchOptions<Static<typeof SitesResponse>>('sites'));
  const software = useQuery(
    searchOptions<Static<typeof SoftwareResponse>>('software', { limit: MAX_SOFTWARE }),
  );
  const licenses = useQuery(
    searchOptions<Static<typeof LicensesResponse>>('licenses', { isAllowed: isOwner }),
  );
  const runId = RUN_PATTERN.exec(text)?.[1];
  const isShown = isSearchable && text.length > 1;
  const { isSearching: isLoadingLists, ...listed } = useListedResults(text, isShown);

  return {
    ...listed,
    isSearching:
      text !== query ||
      sites.isFetching ||
      software.isFetching ||
      licenses.isFetching ||
      isLoadingLists,
    sites: (isShown ? (sites.data?.sites ?? []) : []).map(({ id, name }) => ({
      id: `site-${id}`,
      label: name,
      icon: IconWorld,
      onSelect: () => void navigate({ to: '/sites/$siteId', params: { siteId: String(id) } }),
    })),
    software: (isShown ? (software.data?.software ?? []) : []).map(({ type, slug, name }) => ({
      id: `software-${type}-${slug}`,
      label: name,
      note: softwareMessages.types[type],
      icon: IconPackages,
      onSelect: () => void navigate({ to: '/software/item', search: { type, slug } }),
    })),
    licenses: (isShown ? (licenses.data?.licenses ?? []) : []).map(
      ({ id, key_last_six, name, plan, customer }) => ({
        id: `license-${id}`,
        label: commonMessages.licenseName(name ?? plan.name, key_last_six),
        ...(customer !== null && { note: customer }),
        icon: IconKey,
        onSelect: () =>
          void navigate({ to: '/licenses/$licenseId', params: { licenseId: String(id) } }),
      }),
    ),
    runs: runId
      ? [
          {
            id: `run-${runId}`,
            label: appMessages.palette.run(runId),
            icon: IconPlayerPlay,
            onSelect: () => void navigate({ to: '/runs/$runId', params: { runId } }),
          },
        ]
      : [],
  };
}
