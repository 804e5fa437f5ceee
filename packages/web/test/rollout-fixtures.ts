import {
  DEFAULT_ROLLOUT_SETTINGS,
  ROLLOUT_SITE_STATES,
  type RolloutResponse,
  type RolloutSite,
  type RolloutSiteState,
  type RolloutSummary,
  type RolloutsResponse,
} from '@steward/contract';
import type { Static } from 'typebox';
import { MOMENT, SHOP } from './panel-fixtures.ts';

export const NO_ROLLOUTS: Static<typeof RolloutsResponse> = { success: true, rollouts: [] };

export const SHOP_5_3 = { type: 'plugin' as const, slug: SHOP, version: '5.3', name: 'Shop' };

export const rolloutSite = (overrides: Partial<RolloutSite> = {}): RolloutSite => ({
  site_id: 1,
  name: 'one.example.com',
  ring: 0,
  state: 'waiting',
  run_id: null,
  task_id: null,
  error: null,
  is_rolled_back: false,
  ...overrides,
});

/** A rollout whose rings and counts match these sites: "Canary", "10 %" and "All other sites". */
export function rolloutOf(
  sites: RolloutSite[],
  overrides: Partial<RolloutSummary> = {},
): Static<typeof RolloutResponse> {
  const ring = overrides.ring ?? 0;
  const rings = ['Canary', '10 %', 'All other sites'].map((name, position) => {
    const ofRing = sites.filter((site) => site.ring === position);
    return {
      position,
      name,
      sites: ofRing.length,
      counts: Object.fromEntries(
        ROLLOUT_SITE_STATES.map((state) => [
          state,
          ofRing.filter((site) => site.state === state).length,
        ]),
      ) as Record<RolloutSiteState, number>,
      run_ids: [...new Set(ofRing.flatMap(({ run_id }) => run_id ?? []))],
      started_at: position <= ring ? MOMENT : null,
      soak_ends_at: null,
      finished_at: position < ring ? MOMENT : null,
    };
  });
  return {
    success: true,
    rollout: {
      rollout_id: 7,
      name: 'Shop 5.3',
      status: 'running',
      items: [SHOP_5_3],
      settings: DEFAULT_ROLLOUT_SETTINGS,
      ring,
      rings,
      halt_reason: null,
      halt_code: null,
      proof_exceptions: [],
      split_from: null,
      split_into: [],
      held_versions: [],
      created_at: MOMENT,
      created_by: 'Olive',
      finished_at: null,
      ...overrides,
    },
    sites,
  };
}
