export const DEFAULT_ROLLOUT_SETTINGS = {
  soak_minutes: 60,
  first_ring_max_troubled: 0,
  later_max_troubled_percent: 2,
  proof_percent: 0,
};

export const ROLLOUT_STATUSES = ['running', 'soaking', 'halted', 'finished', 'cancelled'] as const;
export type RolloutStatus = (typeof ROLLOUT_STATUSES)[number];

/** Why a halted rollout waits for a decision. A rollout that halted for another reason has no code. */
export const ROLLOUT_HALT_CODES = ['waits_for_proof'] as const;
export type RolloutHaltCode = (typeof ROLLOUT_HALT_CODES)[number];

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
