export const DEFAULT_ROLLOUT_SETTINGS = {
  soak_minutes: 60,
  first_ring_max_troubled: 0,
  later_max_troubled_percent: 2,
};

export const ROLLOUT_STATUSES = ['running', 'soaking', 'halted', 'finished', 'cancelled'] as const;
export type RolloutStatus = (typeof ROLLOUT_STATUSES)[number];

/**
 * `waiting`: not called yet. `failed`: at least one update was not tried or changed nothing, so its version is not to
 * blame. `unchecked`: the version is installed, but pages of the site could not be checked: neither trouble nor proof. `troubled`: the new version caused a failure, or its effect is not known.
 */
export const ROLLOUT_SITE_STATES = [
  'waiting',
  'updating',
  'updated',
  'unchecked',
  'failed',
  'troubled',
  'cancelled',
] as const;
export type RolloutSiteState = (typeof ROLLOUT_SITE_STATES)[number];
