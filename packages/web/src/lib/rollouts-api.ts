import type {
  CreateRolloutRequest,
  RingPlan,
  RolloutPreviewResponse,
  RolloutResponse,
  RolloutSite,
  RolloutSummary,
  RolloutsResponse,
} from '@steward/contract';
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from './api.ts';

export type Rollout = RolloutSummary;
export type { RolloutSite };
export type RolloutWithSites = { rollout: Rollout; sites: RolloutSite[] };

const REFRESH_ACTIVE_MS = 2000;
const REFRESH_IDLE_MS = 20_000;
/** The page size of the panel. A shorter page is the last one. */
const ROLLOUTS_PER_PAGE = 50;

export const isActive = ({ status }: Rollout) => status === 'running' || status === 'soaking';

/** A halted rollout still changes while its last calls finish, and another user may resume it. */
function refreshInterval(rollout: Rollout): number | false {
  if (isActive(rollout)) return REFRESH_ACTIVE_MS;
  const isFinishingCalls = rollout.rings.some(({ counts }) => counts.updating > 0);
  if (rollout.status === 'halted') return isFinishingCalls ? REFRESH_ACTIVE_MS : REFRESH_IDLE_MS;
  return isFinishingCalls ? REFRESH_ACTIVE_MS : false;
}

/** All rollouts, newest first. */
export const rolloutsQuery = infiniteQueryOptions({
  queryKey: ['rollouts', 'list'],
  initialPageParam: null as number | null,
  queryFn: ({ pageParam, signal }) =>
    api<Static<typeof RolloutsResponse>>('/panel/rollouts', {
      query: { before: pageParam },
      signal,
    }),
  getNextPageParam: ({ rollouts }) =>
    rollouts.length < ROLLOUTS_PER_PAGE ? undefined : rollouts.at(-1)?.rollout_id,
  refetchInterval: ({ state }) =>
    state.data?.pages.some(({ rollouts }) => rollouts.some(isActive))
      ? REFRESH_ACTIVE_MS
      : REFRESH_IDLE_MS,
});

export const readRollout = (rolloutId: number, signal?: AbortSignal): Promise<RolloutWithSites> =>
  api<Static<typeof RolloutResponse>>(`/panel/rollouts/${rolloutId}`, {
    ...(signal && { signal }),
  });

export const rolloutQuery = (rolloutId: number) =>
  queryOptions({
    queryKey: ['rollouts', 'one', rolloutId],
    queryFn: ({ signal }) => readRollout(rolloutId, signal),
    refetchInterval: ({ state }) => (state.data ? refreshInterval(state.data.rollout) : false),
  });

/** The number of sites in each ring of this plan. */
export const rolloutPreviewQuery = (siteIds: number[], rings: RingPlan[], isEnabled: boolean) =>
  queryOptions({
    queryKey: ['rollout-preview', siteIds, rings],
    enabled: isEnabled,
    queryFn: async ({ signal }) =>
      (
        await api<Static<typeof RolloutPreviewResponse>>('/panel/rollouts/preview', {
          method: 'POST',
          body: { site_ids: siteIds, rings },
          signal,
        })
      ).rings,
    // Sites and their tags may change at any time.
    staleTime: 0,
    gcTime: 0,
  });

export const startRollout = async (request: CreateRolloutRequest): Promise<Rollout> =>
  (await change('', request)).rollout;

export type RolloutChange = 'resume' | 'end-soak' | 'cancel';
export const changeRollout = (rolloutId: number, action: RolloutChange) =>
  change(`/${rolloutId}/${action}`);

export const chooseCanaries = (rolloutId: number, siteIds: number[]) =>
  change(`/${rolloutId}/canaries`, { site_ids: siteIds });

export const continueWithoutProof = (rolloutId: number, reason: string) =>
  change(`/${rolloutId}/continue-without-proof`, { reason });

const change = (path: string, body?: object) =>
  api<Static<typeof RolloutResponse>>(`/panel/rollouts${path}`, {
    method: 'POST',
    ...(body && { body }),
  });

/** Shows a changed rollout immediately, and refreshes the list. */
export function refreshRollouts(client: QueryClient, changed: RolloutWithSites): void {
  client.setQueryData(rolloutQuery(changed.rollout.rollout_id).queryKey, changed);
  void client.invalidateQueries({ queryKey: ['rollouts', 'list'] });
  void client.invalidateQueries({ queryKey: ['overview'] });
}
