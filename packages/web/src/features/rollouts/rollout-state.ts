import { ROLLOUT_SITE_STATES, type RolloutSiteState } from '@steward/contract';
import type { StatusKind } from '../../components/status-label.tsx';
import type { Rollout, RolloutSite } from '../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../messages/rollouts.ts';

export type Ring = Rollout['rings'][number];
export type Counts = Ring['counts'];

/** The order in bars, summaries and the legend. */
export const STATE_ORDER: readonly RolloutSiteState[] = [
  'updated',
  'unchecked',
  'troubled',
  'failed',
  'updating',
  'waiting',
  'cancelled',
];

/** The names of the CSS variables `--steward-…`. */
export const STATE_COLORS: Record<RolloutSiteState, string> = {
  updated: 'good',
  unchecked: 'idle',
  troubled: 'bad',
  failed: 'warn',
  updating: 'accent',
  waiting: 'line',
  cancelled: 'line',
};

export function sumCounts(rings: Ring[]): Counts {
  return Object.fromEntries(
    ROLLOUT_SITE_STATES.map((state) => [
      state,
      rings.reduce((sum, { counts }) => sum + counts[state], 0),
    ]),
  ) as Counts;
}

export const countSites = ({ rings }: Rollout): number =>
  rings.reduce((total, ring) => total + ring.sites, 0);

/** The sites of the rollout that the user may not see: `sites` are those that the panel lists for the user. */
export const countHiddenSites = (rollout: Rollout, sites: RolloutSite[]): number =>
  countSites(rollout) - sites.length;

/** "3 updated, 1 troubled". */
export const summarizeCounts = (counts: Counts): string =>
  STATE_ORDER.filter((state) => counts[state] > 0)
    .map((state) => rolloutMessages.countOf(counts[state], state))
    .join(', ');

export function rolloutState(rollout: Rollout): { kind: StatusKind; word: string } {
  const { status, rings } = rollout;
  const word = rolloutMessages.statuses[status];
  if (status === 'finished') {
    const { troubled, failed } = sumCounts(rings);
    return { kind: troubled + failed > 0 ? 'warn' : 'good', word };
  }
  const kinds = {
    running: 'running',
    soaking: 'waiting',
    halted: 'bad',
    cancelled: 'off',
  } as const;
  return { kind: kinds[status], word };
}

export function ringState(rollout: Rollout, ring: Ring): { kind: StatusKind; word: string } {
  const { states } = rolloutMessages.ring;
  if (ring.sites === 0) return { kind: 'empty', word: states.empty };
  if (ring.finished_at !== null) return { kind: 'good', word: states.done };
  const isCurrent = ring.position === rollout.ring;
  switch (rollout.status) {
    case 'halted':
      return isCurrent ? { kind: 'bad', word: states.halted } : toWaiting();
    case 'cancelled':
      return { kind: 'off', word: states.ended };
    case 'soaking':
      return isCurrent ? { kind: 'waiting', word: states.soaking } : toWaiting();
    default:
      return isCurrent ? { kind: 'running', word: states.updating } : toWaiting();
  }
}

const toWaiting = () => ({ kind: 'waiting' as const, word: rolloutMessages.ring.states.waiting });

/** How many of the sites of a ring have a final result. */
export function percentDone({ sites, counts, finished_at }: Ring): number {
  if (finished_at !== null || sites === 0) return 100;
  return Math.round(((sites - counts.waiting - counts.updating) / sites) * 100);
}

/** True if no ring with sites follows. */
export const isLast = (rollout: Rollout, { position }: Ring): boolean =>
  !rollout.rings.some((ring) => ring.position > position && ring.sites > 0);
