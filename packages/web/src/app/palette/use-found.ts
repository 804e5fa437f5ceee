import { useDebouncedValue } from '@mantine/hooks';
import { type LicensesResponse, roleMay, type SitesResponse } from '@steward/contract';
import { IconKey, IconPlayerPlay, IconWorld } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';
import { useUser } from '../../lib/session.ts';
import type { Entry } from './entry.tsx';

const FOUND_AT_MOST = 6;
const TYPING_MS = 120;
/** "#12", "run 12", or just "12". */
const RUN = /^(?:#|run\s*#?)?\s*(\d{1,9})$/i;

type Found = { sites: Entry[]; licenses: Entry[]; runs: Entry[]; isSearching: boolean };

/** What the panel finds for what was typed. One letter would find nearly everything. */
export function useFound(text: string): Found {
  const [sought] = useDebouncedValue(text, TYPING_MS);
  const isOwner = roleMay(useUser().role, 'owner');
  const navigate = useNavigate();
  const isLongEnough = sought.length > 1 && !sought.startsWith('#');
  const find = <Answer>(what: 'sites' | 'licenses', isAllowed: boolean) => ({
    queryKey: ['palette', what, sought],
    enabled: isLongEnough && isAllowed,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api<Answer>(`/panel/${what}`, { query: { search: sought, limit: FOUND_AT_MOST }, signal }),
  });
  const sites = useQuery(find<Static<typeof SitesResponse>>('sites', true));
  const licenses = useQuery(find<Static<typeof LicensesResponse>>('licenses', isOwner));
  const run = RUN.exec(text)?.[1];
  const isShown = isLongEnough && text.length > 1;

  return {
    isSearching: text !== sought || sites.isFetching || licenses.isFetching,
    sites: (isShown ? (sites.data?.sites ?? []) : []).map(({ id, name }) => ({
      id: `site-${id}`,
      label: name,
      icon: IconWorld,
      go: () => void navigate({ to: '/sites/$siteId', params: { siteId: String(id) } }),
    })),
    licenses: (isShown ? (licenses.data?.licenses ?? []) : []).map(
      ({ id, key_last_six, plan }) => ({
        id: `license-${id}`,
        label: `…${key_last_six}`,
        note: plan.name,
        icon: IconKey,
        go: () => void navigate({ to: '/licenses/$licenseId', params: { licenseId: String(id) } }),
      }),
    ),
    runs: run
      ? [
          {
            id: `run-${run}`,
            label: `Run ${run}`,
            icon: IconPlayerPlay,
            go: () => void navigate({ to: '/runs/$runId', params: { runId: run } }),
          },
        ]
      : [],
  };
}
