import { useDebouncedValue } from '@mantine/hooks';
import { type LicensesResponse, roleMay, type SitesResponse } from '@steward/contract';
import { IconKey, IconPlayerPlay, IconWorld } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';
import { useUser } from '../../lib/session.ts';
import { appMessages } from '../../messages/app.ts';
import { commonMessages } from '../../messages/common.ts';
import type { Entry } from './entry.tsx';

const MAX_RESULTS = 6;
const DEBOUNCE_MS = 120;
/** Matches "#12", "run 12" and "12". */
const RUN_PATTERN = /^(?:#|run\s*#?)?\s*(\d{1,9})$/i;

type SearchResults = { sites: Entry[]; licenses: Entry[]; runs: Entry[]; isSearching: boolean };

/** Finds sites, licenses and run numbers. Skips one-letter queries, because they match nearly everything. */
export function useSearchResults(text: string): SearchResults {
  const [query] = useDebouncedValue(text, DEBOUNCE_MS);
  const isOwner = roleMay(useUser().role, 'owner');
  const navigate = useNavigate();
  const isSearchable = query.length > 1 && !query.startsWith('#');
  const searchOptions = <Body>(resource: 'sites' | 'licenses', isAllowed: boolean) => ({
    queryKey: ['palette', resource, query],
    enabled: isSearchable && isAllowed,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api<Body>(`/panel/${resource}`, { query: { search: query, limit: MAX_RESULTS }, signal }),
  });
  const sites = useQuery(searchOptions<Static<typeof SitesResponse>>('sites', true));
  const licenses = useQuery(searchOptions<Static<typeof LicensesResponse>>('licenses', isOwner));
  const runId = RUN_PATTERN.exec(text)?.[1];
  const isShown = isSearchable && text.length > 1;

  return {
    isSearching: text !== query || sites.isFetching || licenses.isFetching,
    sites: (isShown ? (sites.data?.sites ?? []) : []).map(({ id, name }) => ({
      id: `site-${id}`,
      label: name,
      icon: IconWorld,
      onSelect: () => void navigate({ to: '/sites/$siteId', params: { siteId: String(id) } }),
    })),
    licenses: (isShown ? (licenses.data?.licenses ?? []) : []).map(
      ({ id, key_last_six, plan }) => ({
        id: `license-${id}`,
        label: commonMessages.maskedKey(key_last_six),
        note: plan.name,
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
