import type { SiteReachability } from './schemas/reachability-api.ts';

/** The panel does not use the state of an older check: checks are turned off, or no worker runs. */
export const CURRENT_CHECK_SECONDS = 2 * 60 * 60;

/**
 * Whether a state is known. `unconfirmed`: the first check of the site failed, and only a second one decides whether the
 * site is down.
 */
export type ReachabilityKnowledge = 'known' | 'never_checked' | 'unconfirmed' | 'outdated';

export function reachabilityKnowledge(
  { state, checked_at }: Pick<SiteReachability, 'state' | 'checked_at'>,
  now: Date,
): ReachabilityKnowledge {
  if (state !== null) return 'known';
  if (checked_at === null) return 'never_checked';
  const ageMs = now.getTime() - Date.parse(checked_at);
  return ageMs <= CURRENT_CHECK_SECONDS * 1000 ? 'unconfirmed' : 'outdated';
}
