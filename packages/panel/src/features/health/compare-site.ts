import { setTimeout as sleep } from 'node:timers/promises';
import { compareHealth, confirmTroubles, type SiteObservation } from '@steward/contract';
import type { SiteClient, SiteTarget } from '../../site-client/index.ts';
import type { TaskHealth } from './task-health.repository.ts';

const CONFIRM_TIMEOUT_SECONDS = 30;

type Dependencies = {
  siteClient: Pick<SiteClient, 'observe'>;
  signal: AbortSignal;
  /** Pause before a trouble is checked a second time. */
  recheckSeconds: number;
  /** Whether the update was minutes ago, so that the site should have left maintenance mode. */
  isLate?: boolean;
};

/**
 * Observes a site and compares it with an earlier observation. Only a trouble that appears twice counts, because a
 * transient error must not halt a rollout. Returns null if the panel stops.
 */
export async function compareSite(
  target: SiteTarget,
  before: SiteObservation | null,
  { siteClient, signal, recheckSeconds, isLate = false }: Dependencies,
): Promise<TaskHealth | null> {
  const first = await siteClient.observe(target, { signal });
  if (!first) return null;
  const troubles = compareHealth(before, first, { isLate });
  if (troubles.length === 0) return { after: first, troubles };
  await sleep(recheckSeconds * 1000, undefined, { signal }).catch(() => {});
  // After an update the caches of a site are empty, so its pages may be slow without being broken.
  const second = await siteClient.observe(target, { signal, seconds: CONFIRM_TIMEOUT_SECONDS });
  if (!second) return null;
  return {
    after: second,
    troubles: confirmTroubles(troubles, compareHealth(before, second, { isLate })),
  };
}
